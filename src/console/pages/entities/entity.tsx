/** One entity: data, current state, history. */
import { ActorChart } from '../../charts/lazy.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { actorAt, at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Moves } from '../../ui/moves.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useIds, usePlace } from '../../use-place.ts'
import './entities.css'

const refreshMs = 4_000

export default function EntityPage() {
  const place = usePlace()
  const { type, entityId } = useIds('type', 'entityId')
  const { environmentId, environment } = useEnvironment()
  const entity = useResource(
    ['entities', environmentId, type, entityId],
    (options) => environment.entities({ type })({ entityId }).get(options),
    { every: refreshMs },
  )
  return (
    <Page
      title={type}
      badge={entity.value && <StateBadge state={entity.value.state} />}
      about={<Id id={entityId} />}
      up={{ title: 'Entities', href: `${at(place, 'entities')}?type=${encodeURIComponent(type)}` }}
      actions={
        entity.value && (
          <LinkButton icon="chart" href={actorAt(place, 'entity', entityId)}>
            Statechart
          </LinkButton>
        )
      }
    >
      <Shown resource={entity}>
        {({ id, state, version, data, createdAt, updatedAt }) => (
          <>
            <Facts
              facts={[
                ['State', <StateBadge key="state" state={state} />],
                [
                  'Version',
                  <span key="version" className="number">
                    {version}
                  </span>,
                ],
                ['Created', <Time key="created" at={createdAt} />],
                ['Updated', <Time key="updated" at={updatedAt} />],
              ]}
            />
            <Section title="Current state">
              <ActorChart kind="entity" id={id} height={280} />
            </Section>
            <Section title="Data">
              <Json label="data" value={data} />
            </Section>
            <Section title="History">
              {/* a new version reloads the transitions */}
              <EntityMoves key={version} type={type} entityId={id} version={version} />
            </Section>
          </>
        )}
      </Shown>
    </Page>
  )
}

function EntityMoves({ type, entityId, version }: { type: string; entityId: string; version: number }) {
  const { environmentId, environment } = useEnvironment()
  const moves = usePages(
    ['entities', environmentId, type, entityId, 'moves', version],
    (options, page) =>
      environment
        .entities({ type })({ entityId })
        .transitions.get({ ...options, query: page }),
    { limit: 100 },
  )
  return <Moves pages={moves} />
}
