/** Runs brought into each state by the corresponding events. */
import {
  createRunMachine,
  type RunContext,
  type RunEvent,
  type RunInput,
  type WatchedTime,
} from '../../../machines/run.ts'
import { begin, decide } from '../../../src/runtime/decisions/decide.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'

const machine = createRunMachine()
export const table = compile(machine)

export const states = [
  'queued',
  'acquiring',
  'starting',
  'running',
  'awaitingToolResult',
  'awaitingDelegateResult',
  'canceling',
  'completed',
  'failed',
  'canceled',
  'expired',
] as const
export type State = (typeof states)[number]

export const admittedAt = 1_000_000
/** Between two events of a run. */
export const secondMs = 1_000

type Distribute<Event> = Event extends unknown ? Omit<Event, 'at' | 'chance'> : never
/** An event without what the runtime adds, or a deadline by its name. */
export type Given = (Distribute<RunEvent> | { type: `${string}Deadline`; watched?: WatchedTime; lateMs?: number }) & {
  at?: number
  chance?: number
}

export const tool = (toolCallId: string) => ({ kind: 'tool' as const, toolName: 'ask', toolCallId, input: {} })
/** Such a call of an operation that needs an approval. */
export const approved = (toolCallId: string) => ({
  ...tool(toolCallId),
  invocationId: `opi_${toolCallId}`,
  approvalId: `apr_${toolCallId}`,
})
export const delegate = (toolCallId: string) => ({ kind: 'delegate' as const, toolName: 'ask', toolCallId, input: {} })
const lost = { code: 'lease_lost', message: 'The lease was not renewed.' }

/** The server's facts about an authorized caller with sufficient limits. */
export const admission = { authorized: true, budgetLeft: true, roomLeft: true, conversationFits: true }

/** One event of each type, from the current attempt, whose fencing token is 7. */
export const events = {
  leaseRequested: { type: 'leaseRequested', attemptId: 'att_1', machine: 'm1' },
  leased: { type: 'leased', attemptId: 'att_1', fencingToken: 7 },
  booted: { type: 'booted', fencingToken: 7 },
  progressed: { type: 'progressed', fencingToken: 7, reports: [] },
  metered: { type: 'metered', used: { tokens: 5, cost: null } },
  completed: { type: 'completed', fencingToken: 7, reportDigest: 'r1', stopReason: 'end_turn' },
  failed: { type: 'failed', fencingToken: 7, reportDigest: 'r1', cause: { code: 'tool_error', message: 'It broke.' } },
  toolResultNeeded: { type: 'toolResultNeeded', fencingToken: 7, reportDigest: 'r1', awaiting: [tool('c1')] },
  delegateResultNeeded: {
    type: 'delegateResultNeeded',
    fencingToken: 7,
    reportDigest: 'r1',
    awaiting: [delegate('c1')],
  },
  attemptLost: { type: 'attemptLost', fencingToken: 7, cause: lost },
  delegateResult: { type: 'delegateResult', toolCallId: 'c1' },
  toolResult: { type: 'toolResult', toolCallId: 'c1' },
  callApproved: { type: 'callApproved', toolCallId: 'c1', invocationId: 'opi_c1', waitsFor: 'operation' },
  reported: { type: 'reported', fencingToken: 7, reportDigest: 'r1' },
  continue: { type: 'continue', answered: ['c1'], ...admission },
  enqueue: { type: 'enqueue', query: 'Next' },
  startNow: { type: 'startNow' },
  cancel: { type: 'cancel' },
  queueDeadline: { type: 'queueDeadline' },
  acquireDeadline: { type: 'acquireDeadline' },
  startDeadline: { type: 'startDeadline' },
  activeDeadline: { type: 'activeDeadline' },
  awaitDeadline: { type: 'awaitDeadline' },
  cancelDeadline: { type: 'cancelDeadline' },
} satisfies Record<string, Given>
export type EventName = keyof typeof events

/** An attempt that is being acquired has no token yet; it counts as 0. */
export const eventIn = (state: State, name: EventName): Given =>
  name === 'attemptLost' && state === 'acquiring' ? { ...events.attemptLost, fencingToken: 0 } : events[name]

const { leaseRequested, leased, booted, cancel } = events
const toRunning = [leaseRequested, leased, booted]
export const pathTo: Record<State, Given[]> = {
  queued: [],
  acquiring: [leaseRequested],
  starting: [leaseRequested, leased],
  running: toRunning,
  awaitingToolResult: [...toRunning, events.toolResultNeeded],
  awaitingDelegateResult: [...toRunning, events.delegateResultNeeded],
  canceling: [...toRunning, cancel],
  completed: [...toRunning, events.completed],
  failed: [...toRunning, events.failed],
  canceled: [cancel],
  expired: [events.queueDeadline],
}

export interface Run {
  state: string
  context: RunContext
  at: number
  effects: { name: string; params: unknown }[]
  timersStarted: { timer: string; delayMs: number }[]
}

export function admit(maxRetries = 2, more: Partial<RunInput> = {}): Run {
  const decision = begin(table, { maxRetries, at: admittedAt, ...more })
  return { ...decision, context: decision.context as unknown as RunContext, at: admittedAt, effects: decision.effects }
}

/** The run after the event, a second later; undefined if the event is refused. */
export function send(run: Run, given: Given): Run | undefined {
  const at = given.at ?? run.at + secondMs
  const decision = decide(table, run.state, run.context as unknown as Record<string, unknown>, {
    chance: 0.5,
    ...given,
    at,
  })
  if (!decision) return undefined
  return { ...decision, context: decision.context as unknown as RunContext, at, effects: decision.effects }
}

/** The run after all of these events. */
export function follow(path: readonly Given[], run: Run = admit()): Run {
  return path.reduce((before, event) => {
    const after = send(before, event)
    if (!after) throw new Error(`${before.state} does not accept ${event.type}`)
    return after
  }, run)
}

export const inState = (state: State, maxRetries = 2): Run => follow(pathTo[state], admit(maxRetries))
