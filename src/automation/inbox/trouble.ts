/** Failing resources in a part of an organization: few, so all of them are read at once, up to a bound. */
import type { DeploymentContext } from '../../../machines/deployment.ts'
import {
  listDisabledConnections,
  listFailedDeployments,
  listFailingWebhooks,
  listWebhooksWithDeadLetters,
  type TroubleScope,
} from '../../../storage/automation/inbox.ts'
import { countDeadLetters } from '../../../storage/events/dead-letters.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Part } from '../../runtime/statecharts/fleet/reach.ts'
import type { InboxKind } from './kinds.ts'
import { type Found, isAfter, latestFirst, type Source } from './source.ts'

export interface TroubleParts {
  store: Store
  clock: Pick<Clock, 'now'>
  deliveryWork: { eventsUntil(): number }
}

/** The most items of one kind. */
const readMax = 200
/** A webhook whose first attempt has just failed needs no person: the attempt is retried within seconds. */
const failingMs = 60_000
const deadLettersMax = 100

type Read = (parts: TroubleParts, scope: TroubleScope) => Promise<Found[]>

const scopeOf = ({ organizationId, projectId, environmentId }: Part): TroubleScope => ({
  organizationId,
  limit: readMax,
  ...(projectId !== undefined && { project_id: projectId }),
  ...(environmentId !== undefined && { environment_id: environmentId }),
})

async function webhooks({ store, clock, deliveryWork }: TroubleParts, scope: TroubleScope): Promise<Found[]> {
  const eventsUntil = deliveryWork.eventsUntil()
  const failing = await listFailingWebhooks(store, { ...scope, failingUntil: clock.now() - failingMs })
  const dead = await listWebhooksWithDeadLetters(store, { ...scope, eventsUntil })
  const counts = new Map<string, number>()
  for (const { id, project_id, environment_id } of dead) {
    const place = { projectId: project_id, environmentId: environment_id, webhookId: id }
    const { organizationId } = scope
    const found = await store.first(
      countDeadLetters(store, { organizationId, ...place, eventsUntil, limit: deadLettersMax }),
    )
    counts.set(id, Number(found?.count ?? 0))
  }
  const shown = new Map<string, Found>()
  for (const { id, environment_id, endpoint_url, died_at } of dead) {
    const deadLetters = counts.get(id) ?? 0
    const many = deadLetters >= deadLettersMax ? `${deadLetters} or more` : deadLetters
    shown.set(id, {
      kind: 'webhook',
      id,
      reason: 'dead_letters',
      title: hostOf(endpoint_url),
      message: `${many} ${deadLetters === 1 ? 'delivery has' : 'deliveries have'} failed for good.`,
      since: Number(died_at),
      environmentId: environment_id,
      deadLetters,
    })
  }
  for (const { id, environment_id, endpoint_url, failing_since, disabled_reason, updated_at } of failing) {
    const gone = disabled_reason === 'endpoint_gone'
    shown.set(id, {
      kind: 'webhook',
      id,
      reason: disabled_reason ? 'disabled' : 'failing',
      title: hostOf(endpoint_url),
      message: disabled_reason
        ? `It was disabled because its endpoint ${gone ? 'is gone (410)' : 'has failed for days'}; it gets no events.`
        : 'All attempts have failed since then.',
      since: Number(disabled_reason ? updated_at : failing_since),
      environmentId: environment_id,
      deadLetters: counts.get(id) ?? 0,
    })
  }
  return [...shown.values()]
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

async function deployments({ store }: TroubleParts, scope: TroubleScope): Promise<Found[]> {
  return (await listFailedDeployments(store, scope)).map((deployment) => {
    const { failure } = JSON.parse(deployment.context) as DeploymentContext
    return {
      kind: 'deployment',
      id: deployment.id,
      reason: 'failed',
      title: 'Deployment',
      message: failure?.message ?? 'It has failed.',
      since: Number(deployment.updated_at),
      environmentId: deployment.environment_id,
      releaseId: deployment.release_id,
      configurationRevisionId: deployment.configuration_revision_id,
    }
  })
}

async function connections({ store }: TroubleParts, scope: TroubleScope): Promise<Found[]> {
  return (await listDisabledConnections(store, scope)).map((connection) => ({
    kind: 'connection',
    id: connection.id,
    reason: 'disabled',
    title: connection.name,
    message: connection.status_reason ?? '',
    since: Number(connection.updated_at),
    environmentId: connection.environment_id,
    agentId: connection.agent_id,
  }))
}

/** A source whose items are all read at once, and once for each request. */
export const wholeSource = (kind: InboxKind, all: (parts: readonly Part[]) => Promise<Found[]>): Source => ({
  kind,
  async count(parts, max) {
    return Math.min(max, (await all(parts)).length)
  },
  async read(parts, before, limit) {
    const found = (await all(parts)).filter((each) => isAfter(before, each))
    return found.sort(latestFirst).slice(0, limit)
  },
})

const reads: [InboxKind, Read][] = [
  ['webhook', webhooks],
  ['deployment', deployments],
  ['connection', connections],
]

/** The failing resources, cached for the request. */
export const troubleSources = (parts: TroubleParts): Source[] =>
  reads.map(([kind, read]) =>
    wholeSource(
      kind,
      remembered(async (places) => (await Promise.all(places.map((part) => read(parts, scopeOf(part))))).flat()),
    ),
  )

/** A source is created for each request, so that it counts and lists with one read. */
export function remembered(read: (parts: readonly Part[]) => Promise<Found[]>) {
  let known: Promise<Found[]> | undefined
  return (parts: readonly Part[]) => {
    known ??= read(parts)
    return known
  }
}
