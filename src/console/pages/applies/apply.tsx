/** One Apply: progress, changes and results. */
import { Link } from 'wouter'
import type { Apply } from '../../../automation/applies/schema.ts'
import { ActorChart } from '../../charts/lazy.ts'
import { useAction } from '../../data/action.ts'
import { useAccess, useApi, useRefresh } from '../../data/context.ts'
import { useInterval, useResource } from '../../data/resource.ts'
import { useEventStream } from '../../data/use-event-stream.ts'
import { actorAt, at, projectOf } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { type Step, Stepper } from '../../ui/forms/stepper.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { StreamNote } from '../../ui/stream-note.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { NumberOf } from '../delivery/deployments.tsx'
import { readRelease } from '../delivery/pinned.ts'
import '../delivery/delivery.css'
import { PlanView } from './plan.tsx'

export default function ApplyPage() {
  const api = useApi()
  const { environmentId, applyId } = useIds('environmentId', 'applyId')
  const apply = useResource(['applies', environmentId, applyId], (options) => api.v1.applies({ applyId }).get(options))
  return <Shown resource={apply}>{(apply) => <One apply={apply} />}</Shown>
}

function One({ apply }: { apply: Apply }) {
  const api = useApi()
  const place = usePlace()
  const { id: applyId, environmentId, state, plan, createdAt, createdBy, endedAt } = apply
  const cancel = useAction(() => api.v1.applies({ applyId }).cancel.post(), {
    success: 'Apply canceled',
    changes: [['applies', environmentId]],
  })
  return (
    <Page
      title="Apply"
      badge={<StateBadge state={state} />}
      {...(apply.description !== null && { about: apply.description })}
      up={{ title: 'Delivery', href: at(place) }}
      actions={
        <>
          <LinkButton icon="chart" href={actorAt(place, 'apply', applyId)}>
            Statechart
          </LinkButton>
          {endedAt === null && (
            <Button needs="deployments:create" pending={cancel.pending} onClick={() => cancel.run()}>
              Cancel
            </Button>
          )}
        </>
      }
    >
      <div className="panel">
        <Progress apply={apply} />
      </div>
      <Facts
        facts={[
          ['ID', <Id key="id" id={applyId} />],
          ['Release', <MadeRelease key="release" id={apply.releaseId} />],
          ['Deployment', <MadeDeployment key="deployment" id={apply.deploymentId} />],
          ['Started', <Time key="begun" at={createdAt} />],
          ['Ended', endedAt === null ? '—' : <Time key="ended" at={endedAt} />],
          ['Created by', <Author key="by" by={createdBy} />],
        ]}
      />
      <Section title="Changes">
        <PlanView plan={plan} />
      </Section>
      <Section title="Statechart">
        <ActorChart kind="apply" id={applyId} />
      </Section>
    </Page>
  )
}

function MadeRelease({ id }: { id: string | null }) {
  const access = useAccess()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  if (id === null) return <span className="faint">—</span>
  return (
    <Link href={at(projectOf(place), 'releases', id)}>
      Release <NumberOf id={id} read={() => readRelease(access, projectId, id)} />
    </Link>
  )
}

function MadeDeployment({ id }: { id: string | null }) {
  const place = usePlace()
  if (id === null) return <span className="faint">—</span>
  return (
    <Link href={at(place, 'deployments', id)}>
      <Id id={id} copy={false} />
    </Link>
  )
}

const steps = [
  ['planned', 'Planned'],
  ['writing', 'Writing'],
  ['releasing', 'Releasing'],
  ['configuring', 'Configuring'],
  ['deploying', 'Deploying'],
  ['activating', 'Activating'],
  ['applied', 'Applied'],
] as const

/** `last`: the state before the end, which shows where an Apply failed. */
export function stepsOf({ state }: Pick<Apply, 'state'>, last: string | undefined): Step[] {
  const isEnded = state === 'failed' || state === 'canceled'
  const reached = steps.findIndex(([each]) => each === (isEnded ? last : state))
  return steps.map(([, title], place) => {
    if (state === 'applied' || place < reached) return { title, is: 'done' }
    if (place > reached) return { title, is: isEnded ? 'left' : 'ahead' }
    return { title, is: state === 'failed' ? 'failed' : isEnded ? 'left' : 'current' }
  })
}

const pollMs = 2_000

function Progress({ apply }: { apply: Apply }) {
  const api = useApi()
  const place = usePlace()
  const refreshKey = useRefresh()
  const { id: applyId, environmentId, state, stateReason, endedAt } = apply
  const isEnded = endedAt !== null
  const refresh = () => refreshKey(['applies', environmentId])
  const live = useEventStream(isEnded ? null : `/api/v1/actors/apply/${applyId}/stream`, () => void refresh())
  // without permission for the statechart, poll instead
  useInterval(['applies', applyId], !isEnded && live.state === 'failed' ? pollMs : null, refresh)
  const journal = useResource(isEnded ? ['applies', environmentId, applyId, 'journal'] : null, (options) =>
    api.v1.applies({ applyId }).transitions.get({ ...options, query: { limit: 100 } }),
  )
  const last = journal.value?.items.findLast(({ to }) => to === state)?.from ?? undefined
  return (
    <div className="stack">
      {!isEnded && <StreamNote live={live} />}
      <Stepper label="Progress of the Apply" steps={stepsOf(apply, last)} />
      {stateReason && (
        <div className="banner banner-bad" role="status">
          <Icon name="warning" />
          <span>{stateReason.message}</span>
          <code>{stateReason.code}</code>
          {apply.deploymentId !== null && (
            <Link href={at(place, 'deployments', apply.deploymentId)}>View Deployment</Link>
          )}
        </div>
      )}
    </div>
  )
}
