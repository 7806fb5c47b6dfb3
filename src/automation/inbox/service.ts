/** The inbox: items that need attention, within the credential's scope. */
import { namesOfEnvironments } from '../../../storage/automation/inbox.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { assertSpansAgents, isBound, may, partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { page } from '../../platform/http/pagination.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { type Narrowing, type Part, projectOf } from '../../runtime/statecharts/fleet/reach.ts'
import { type EndingParts, endingSources } from './ending.ts'
import { countedMax, type InboxKind, inboxKinds, kindsOfOrganization, permissionOfKind } from './kinds.ts'
import type { InboxItem, InboxQuery } from './schema.ts'
import { type Found, latest, latestFirst, type Position, type Source } from './source.ts'
import { type TroubleParts, troubleSources } from './trouble.ts'
import { waitingSources } from './waiting.ts'

export interface InboxParts extends EndingParts, TroubleParts {
  cursors: Cursors
}

interface Reached {
  source: Source
  parts: Part[]
}

type Place = Pick<InboxItem, 'project' | 'environment'>

export class Inbox {
  constructor(private readonly parts: InboxParts) {}

  /**
   * The latest first; the counts cover all kinds. Throws `permission_denied` for a key that is bound to an Agent,
   * `not_found` for a place outside the credential's scope, `invalid_cursor` (422).
   */
  async read(caller: Caller, { kind, limit, cursor, ...filters }: InboxQuery) {
    const { cursors, store } = this.parts
    const { organizationId } = caller
    // counts do not distinguish Agents
    assertSpansAgents(caller, 'agent-runs:get')
    await projectOf(store, caller, filters)
    const reached = this.#reached(caller, filters)
    const scope = { list: 'inbox', organizationId, filters: { kind, ...filters } }
    const after = cursor === undefined ? undefined : cursors.open(scope, cursor)
    const before = after ? { since: Number(after[0]), id: String(after[1]) } : latest
    const counts = await this.#counts(reached)
    const wanted = reached.filter(({ source }) => kind === undefined || source.kind === kind)
    const rows = await this.#items(wanted, before, limit + 1)
    const { items, pagination } = page(rows, limit, ({ since, id }) => cursors.seal(scope, [since, id]))
    const total = counts.reduce((sum, { count }) => sum + count, 0)
    return { data: { counts, total, items: await this.#presented(organizationId, items) }, pagination }
  }

  /** Each source with the parts in which the caller may read its items. */
  #reached(caller: Caller, filters: Narrowing): Reached[] {
    const { organizationId } = caller
    const sources = [...waitingSources(this.parts.store), ...troubleSources(this.parts), ...endingSources(this.parts)]
    return sources.flatMap((source) => {
      const { permission = permissionOfKind[source.kind] } = source
      if (kindsOfOrganization.includes(source.kind)) {
        const isNarrowed = filters.projectId !== undefined || filters.environmentId !== undefined
        if (isNarrowed || isBound(caller) || !may(caller, permission, null)) return []
        return [{ source, parts: [{ organizationId }] }]
      }
      const parts = partsInScope<Narrowing>(caller, permission, filters).map((part) => ({ organizationId, ...part }))
      return parts.length > 0 ? [{ source, parts }] : []
    })
  }

  async #counts(reached: readonly Reached[]) {
    const counts = new Map<InboxKind, number>()
    for (const { source, parts } of reached) {
      const known = counts.get(source.kind) ?? 0
      counts.set(source.kind, known + (await source.count(parts, countedMax - known)))
    }
    return inboxKinds.flatMap((kind) => {
      const count = counts.get(kind)
      return count === undefined ? [] : [{ kind, count }]
    })
  }

  async #items(reached: readonly Reached[], before: Position, limit: number): Promise<Found[]> {
    const found: Found[] = []
    for (const { source, parts } of reached) found.push(...(await source.read(parts, before, limit)))
    return found.sort(latestFirst).slice(0, limit)
  }

  async #presented(organizationId: string, items: readonly Found[]): Promise<InboxItem[]> {
    const places = new Map<string, Place>()
    for (const environmentId of new Set(items.map((item) => item.environmentId))) {
      if (environmentId) places.set(environmentId, await this.#placeOf(organizationId, environmentId))
    }
    return items.map((item) => present(item, places.get(item.environmentId ?? '')))
  }

  async #placeOf(organizationId: string, environmentId: string): Promise<Place> {
    const { store } = this.parts
    const found = await store.first(namesOfEnvironments(store, { organizationId, environmentId }))
    if (!found) return nowhere
    const { id, name, kind, project_id, project } = found
    return { project: { id: project_id, name: project }, environment: { id, name, kind } }
  }
}

const nowhere: Place = { project: null, environment: null }

const present = (found: Found, { project, environment }: Place = nowhere): InboxItem => ({
  kind: found.kind,
  id: found.shownId ?? found.id,
  reason: found.reason,
  title: found.title,
  message: found.message,
  since: timestamp(found.since),
  dueAt: timestampOrNull(found.dueAt ?? null),
  project,
  environment,
  agentId: found.agentId ?? null,
  invocationId: found.invocationId ?? null,
  agentRunId: found.agentRunId ?? null,
  workflowRunId: found.workflowRunId ?? null,
  releaseId: found.releaseId ?? null,
  configurationRevisionId: found.configurationRevisionId ?? null,
  deadLetters: found.deadLetters ?? null,
  percent: found.percent ?? null,
})
