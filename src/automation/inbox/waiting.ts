/**
 * Any number of items that wait for a person. The store counts the places that have such items; a page reads further
 * only where the next items are.
 */
import {
  countUnresolvedInvocations,
  countWaitingRuns,
  listFiringAlerts,
  listPendingApprovals,
  listUnresolvedInvocations,
  listUnresolvedWorkflowRuns,
  listWaitingRuns,
} from '../../../storage/automation/inbox.ts'
import type { Counted, FleetKind } from '../../../storage/runtime/fleet.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { countsIn, type Part } from '../../runtime/statecharts/fleet/reach.ts'
import { conditionWords } from '../alerts/condition.ts'
import { type Found, latestFirst, type Position, type Source } from './source.ts'

interface Page {
  place: string
  before: Position
  limit: number
}

interface Walk extends Pick<Source, 'kind' | 'permission'> {
  /** The kind of actor of the items. */
  actors: FleetKind
  states: readonly string[]
  /** Counts the items among the actors of a place; omitted: all actors are items. */
  count?(store: Store, place: string, limit: number): Promise<number>
  read(store: Store, page: Page): Promise<Found[]>
}

/** The reads before yielding to other work. */
const looksAtOnce = 50

const counted = async (store: Store, statement: Parameters<Store['first']>[0]) =>
  Number(((await store.first(statement)) as { count?: number } | undefined)?.count ?? 0)

const walks: Walk[] = [
  ...['firing', 'cooling'].map(
    (state): Walk => ({
      kind: 'alert',
      actors: 'alert',
      states: [state],
      read: async (store, page) =>
        (await listFiringAlerts(store, state, page)).map((rule) => ({
          kind: 'alert',
          id: rule.id,
          reason: 'firing',
          title: rule.name,
          message: `${conditionWords(JSON.parse(rule.condition))}.`,
          since: Number(rule.since),
          environmentId: rule.environment_id,
        })),
    }),
  ),
  {
    kind: 'approval',
    actors: 'operation-invocation',
    states: ['pending_approval'],
    read: async (store, page) =>
      (await listPendingApprovals(store, page)).map((call) => ({
        kind: 'approval',
        id: call.id,
        reason: 'approval_pending',
        title: call.operation,
        message: `A call of ${call.operation} waits for a decision.`,
        since: Number(call.since),
        dueAt: call.expires_at === null ? null : Number(call.expires_at),
        environmentId: call.environment_id,
        agentId: call.agent_id,
        invocationId: call.id,
        agentRunId: call.agent_run_id,
        workflowRunId: call.workflow_run_id,
        ...(call.approval_id !== null && { shownId: call.approval_id }),
      })),
  },
  {
    kind: 'waitingRun',
    actors: 'run',
    states: ['awaitingToolResult', 'awaitingDelegateResult'],
    count: (store, place, limit) => counted(store, countWaitingRuns(store, { place, limit })),
    read: async (store, page) =>
      (await listWaitingRuns(store, page)).map((run) => ({
        kind: 'waitingRun',
        id: run.id,
        reason: 'answer_awaited',
        title: run.tool,
        message: `A run waits for the answer to its call of ${run.tool}.`,
        since: Number(run.since),
        environmentId: run.environment_id,
        agentId: run.agent_id,
        agentRunId: run.id,
      })),
  },
  {
    kind: 'unknownOutcome',
    actors: 'operation-invocation',
    states: ['unknown'],
    count: (store, place, limit) => counted(store, countUnresolvedInvocations(store, { place, limit })),
    read: async (store, page) =>
      (await listUnresolvedInvocations(store, page)).map((call) => ({
        kind: 'unknownOutcome',
        id: call.id,
        reason: 'outcome_unknown',
        title: call.operation,
        message: `It is unknown whether a call of ${call.operation} took effect.`,
        since: Number(call.since),
        environmentId: call.environment_id,
        agentId: call.agent_id,
        invocationId: call.id,
        agentRunId: call.agent_run_id,
      })),
  },
  {
    kind: 'unknownOutcome',
    permission: 'agents:manage-workflows',
    actors: 'workflow-run',
    states: ['unknown'],
    read: async (store, page) =>
      (await listUnresolvedWorkflowRuns(store, page)).map((run) => ({
        kind: 'unknownOutcome',
        id: run.id,
        reason: 'outcome_unknown',
        title: 'Workflow run',
        message: 'It is unknown whether a step of a workflow run took effect.',
        since: Number(run.since),
        environmentId: run.environment_id,
        agentId: run.agent_id,
        workflowRunId: run.id,
      })),
  },
]

/** The places of the parts that have such actors. */
async function placesOf(store: Store, { actors, states }: Walk, parts: readonly Part[]): Promise<Map<string, number>> {
  const places = new Map<string, number>()
  const found: Counted[] = []
  for (const part of parts) found.push(...(await countsIn(store, actors, part)))
  for (const { place, state, count } of found) {
    if (states.includes(state)) places.set(place, (places.get(place) ?? 0) + Number(count))
  }
  return places
}

async function inTurns<Value>(values: readonly Value[], each: (value: Value) => Promise<void>): Promise<void> {
  for (const [index, value] of values.entries()) {
    if (index > 0 && index % looksAtOnce === 0) await nextTurn()
    await each(value)
  }
}

const sourceOf = (store: Store, walk: Walk): Source => ({
  kind: walk.kind,
  ...(walk.permission !== undefined && { permission: walk.permission }),
  async count(parts, max) {
    const { count } = walk
    const places = await placesOf(store, walk, parts)
    let sum = 0
    await inTurns([...places], async ([place, all]) => {
      if (sum < max) sum += count ? await count(store, place, max - sum) : all
    })
    return Math.min(sum, max)
  },
  async read(parts, before, limit) {
    const places = [...(await placesOf(store, walk, parts)).keys()]
    const heads: { place: string; head: Found }[] = []
    await inTurns(places, async (place) => {
      const [head] = await walk.read(store, { place, before, limit: 1 })
      if (head) heads.push({ place, head })
    })
    heads.sort((one, other) => latestFirst(one.head, other.head))
    const found: Found[] = []
    await inTurns(heads.slice(0, limit), async ({ place }) => {
      found.push(...(await walk.read(store, { place, before, limit })))
    })
    return found.sort(latestFirst).slice(0, limit)
  },
})

/** A source of any number of waiting items. */
export const waitingSources = (store: Store): Source[] => walks.map((walk) => sourceOf(store, walk))
