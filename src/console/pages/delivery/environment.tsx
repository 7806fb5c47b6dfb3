/** Delivery: active Deployment, delivery path, history. */
import { useAction } from '../../data/action.ts'
import { actorAt, at, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loading, Shown } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { Applies } from '../applies/applies.tsx'
import { Promote, RollBack } from '../applies/moving.tsx'
import { Activations } from './activations.tsx'
import { Differences } from './changes/difference-table.tsx'
import { Deployments } from './deployments.tsx'
import { EnvironmentBoard } from './environment-board.tsx'
import {
  type Environment,
  kindNames,
  useEnvironment,
  useEnvironmentApi,
  useEnvironments,
  useServed,
} from './environments.ts'
import { Path } from './path.tsx'

/** Interval; other users deliver too. */
const refreshMs = 15_000

export default function EnvironmentPage() {
  const place = usePlace()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const environment = useEnvironment(projectId, environmentId, refreshMs)
  return (
    <Shown resource={environment}>
      {(environment) => (
        <Page
          title={`Delivery to ${kindNames[environment.kind]}`}
          badge={<StateBadge state={environment.lifecycle} />}
          about="Deploy a Release, activate it, and roll back."
          up={{ title: 'Project', href: at(projectOf(place)) }}
          actions={
            <>
              <LinkButton icon="chart" href={actorAt(place, 'environment', environmentId)}>
                Statechart
              </LinkButton>
              <Moving environment={environment} />
            </>
          }
        >
          {environment.lifecycle === 'provisioning' && <Activate environment={environment} />}
          <Delivery environment={environment} />
        </Page>
      )}
    </Shown>
  )
}

function Moving({ environment }: { environment: Environment }) {
  const place = usePlace()
  const all = useEnvironments(environment.projectId, refreshMs).value?.items ?? []
  return (
    <>
      <RollBack place={place} environment={environment} />
      <Promote place={place} environment={environment} others={all.filter(({ id }) => id !== environment.id)} />
    </>
  )
}

/** Activates an Environment, once. */
function Activate({ environment: { projectId, id: environmentId } }: { environment: Environment }) {
  const api = useEnvironmentApi({ projectId, id: environmentId })
  const begin = useAction(() => api.patch({ lifecycle: 'active', expectedLifecycle: 'provisioning' }), {
    success: 'Environment activated',
    changes: [['environments', projectId]],
  })
  return (
    <Empty
      icon="rocket"
      title="This Environment is not active yet"
      action={
        <Button needs="projects:update" tone="primary" pending={begin.pending} onClick={() => begin.run()}>
          Activate
        </Button>
      }
    >
      Activate it to create configurations and Deployments. This cannot be undone.
    </Empty>
  )
}

function Delivery({ environment }: { environment: Environment }) {
  const place = usePlace()
  const { projectId, id } = environment
  const environments = useEnvironments(projectId, refreshMs)
  const all = environments.value?.items
  const served = useServed(all)
  return (
    <Shown resource={environments} rows={4}>
      {({ items }) => (
        <>
          {served.value ? (
            <EnvironmentBoard place={projectOf(place)} environments={items} served={served.value} current={id} />
          ) : (
            <Shown resource={served} rows={4}>
              {() => <Loading rows={4} />}
            </Shown>
          )}
          {environment.lifecycle !== 'provisioning' && (
            <Section title="Deliver">
              <Path place={place} environment={environment} served={served.value && (served.value.get(id) ?? null)} />
            </Section>
          )}
          {environment.lifecycle !== 'provisioning' && (
            <Tabs
              label="Environment details"
              tabs={[
                { title: 'Activations', content: () => <Activations place={place} environment={environment} /> },
                { title: 'Applies', content: () => <Applies place={place} environment={environment} /> },
                { title: 'Deployments', content: () => <Deployments place={place} environment={environment} /> },
                {
                  title: 'Differences',
                  content: () => (
                    <Shown resource={served} rows={4}>
                      {(served) => <Differences environments={items} served={served} />}
                    </Shown>
                  ),
                },
              ]}
            />
          )}
        </>
      )}
    </Shown>
  )
}
