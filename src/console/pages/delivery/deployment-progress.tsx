/** Live progress of a Deployment, with issues and links to their remedies. */
import { Link } from 'wouter'
import type { Deployment } from '../../../delivery/deployments/schema.ts'
import { useApi, useRefresh } from '../../data/context.ts'
import { useInterval, useResource } from '../../data/resource.ts'
import { useEventStream } from '../../data/use-event-stream.ts'
import { at, organizationOf, type Place, projectOf } from '../../places.ts'
import { type Step, Stepper } from '../../ui/forms/stepper.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StreamNote } from '../../ui/stream-note.tsx'
import './delivery.css'

const states = ['queued', 'validating', 'provisioning', 'materializing', 'ready'] as const
const titles = {
  queued: 'Queued',
  validating: 'Validating',
  provisioning: 'Provisioning',
  materializing: 'Materializing',
  ready: 'Ready',
}
const notes = {
  queued: 'waiting in the queue',
  validating: 'checking completeness and compatibility',
  provisioning: 'checking access to secrets',
  materializing: 'building the bundle',
  ready: 'can be activated',
}

export const isOver = ({ state }: Deployment): boolean => ['ready', 'failed', 'canceled'].includes(state)

/** The state in which a Deployment failed is only in its journal. */
function stepsOf({ state }: Deployment, endedIn?: string): Step[] {
  const reached = states.indexOf((endedIn ?? state) as (typeof states)[number])
  const isAt = (place: number): Step['is'] => {
    if (state === 'ready') return 'done'
    if (state === 'failed' || state === 'canceled') {
      if (place < reached) return 'done'
      return place === reached && state === 'failed' ? 'failed' : 'left'
    }
    return place < reached ? 'done' : place === reached ? 'current' : 'ahead'
  }
  return states.map((each, place) => {
    const is = isAt(place)
    return {
      title: titles[each],
      is,
      note: is === 'current' || (is === 'done' && each === 'ready') ? notes[each] : undefined,
    }
  })
}

interface ProgressProps {
  place: Place
  deployment: Deployment
}

/** The state in which a Deployment failed or was canceled. */
function useEnd(place: Place, { id: deploymentId, environmentId, state }: Deployment): string | undefined {
  const api = useApi()
  const { projectId = '' } = place
  const { deployments } = api.v1.projects({ projectId }).environments({ environmentId })
  const cameToNothing = state === 'failed' || state === 'canceled'
  const journal = useResource(
    cameToNothing ? ['deployments', environmentId, deploymentId, 'journal'] : null,
    (options) => deployments({ deploymentId }).transitions.get({ ...options, query: { limit: 100 } }),
  )
  return journal.value?.items.findLast(({ to }) => to === state)?.from ?? undefined
}

export function DeploymentProgress({ place, deployment }: ProgressProps) {
  const refreshKey = useRefresh()
  const endedIn = useEnd(place, deployment)
  const over = isOver(deployment)
  const refresh = () => refreshKey(['deployments', deployment.environmentId])
  const live = useEventStream(over ? null : `/api/v1/actors/deployment/${deployment.id}/stream`, () => void refresh())
  // without permission for the statechart, poll instead
  useInterval(['deployments', deployment.id], !over && live.state === 'failed' ? 2_000 : null, refresh)

  return (
    <div className="stack">
      {!over && <StreamNote live={live} />}
      <Stepper label="Deployment progress" steps={stepsOf(deployment, endedIn)} />
      {deployment.stateReason && <Reason place={place} reason={deployment.stateReason} />}
    </div>
  )
}

type StateReason = NonNullable<Deployment['stateReason']>

function Reason({ place, reason: { code, message, issues = [] } }: { place: Place; reason: StateReason }) {
  return (
    <div className="stack" role="status">
      <div className="banner banner-bad">
        <Icon name="warning" />
        <span>{message}</span>
        <code>{code}</code>
      </div>
      {issues.length > 0 && (
        <ul className="issues" aria-label="Issues">
          {issues.map(({ code, path, message }) => {
            const mend = whereToMend(place, path, message)
            return (
              <li key={path + code}>
                <span className="issues-words">
                  <span>{message}</span>
                  <code className="faint">{code}</code>
                </span>
                {mend && <Link href={mend.href}>{mend.title}</Link>}
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

/** Page for the remedy of an issue, by its path. */
function whereToMend(place: Place, path: string, message = ''): { title: string; href: string } | undefined {
  const [, kind, id = '', part] = path.split('/')
  const project = projectOf(place)
  const configured = (what: string) => at(place, 'configuration', what)
  if (kind === 'agents' && part === 'bindings')
    return { title: 'Add binding', href: configured(/ variable /.test(message) ? 'variables' : 'connections') }
  if (kind === 'agents') return { title: 'To the Agent', href: at(project, 'agents', id) }
  if (kind === 'definitions') return { title: 'To the Definition', href: at(project, 'definitions', id) }
  if (kind === 'connections' || kind === 'variables') return { title: `To the ${kind}`, href: configured(kind) }
  if (kind === 'providerSettings')
    return { title: 'Credentials', href: at(organizationOf(place), 'settings', 'credentials') }
  return undefined
}
