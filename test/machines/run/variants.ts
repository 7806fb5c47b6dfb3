import { nothingSpent } from '../../../machines/run/budget.ts'
import type { RunInput } from '../../../machines/run.ts'
import {
  admittedAt,
  approved,
  delegate,
  eventIn,
  events,
  type Given,
  pathTo,
  type State,
  states,
  tool,
} from './runs.ts'

/** The same events where their data matters, or what came before. */
export const variants: {
  given: State
  when: string
  event: Given
  maxRetries?: number
  before?: Given[]
  next: string
  begins?: Partial<RunInput>
}[] = [
  ...states.map((given) => ({
    given,
    when: 'usage is counted',
    event: events.metered,
    before: pathTo[given],
    begins: { spent: nothingSpent },
    next: '=',
  })),
  {
    given: 'running',
    when: 'the budget is used up',
    event: { ...events.progressed, begins: { currency: null } },
    before: pathTo.running,
    begins: { spent: { ...nothingSpent, tokens: 5 }, budget: { maxTokens: 5 } },
    next: 'failed',
  },
  {
    given: 'acquiring',
    when: 'no retries are left',
    event: eventIn('acquiring', 'attemptLost'),
    maxRetries: 0,
    next: 'failed',
  },
  { given: 'starting', when: 'no retries are left', event: events.attemptLost, maxRetries: 0, next: 'failed' },
  { given: 'running', when: 'no retries are left', event: events.attemptLost, maxRetries: 0, next: 'failed' },
  { given: 'acquiring', when: 'no retries are left', event: events.acquireDeadline, maxRetries: 0, next: 'failed' },
  { given: 'starting', when: 'no retries are left', event: events.startDeadline, maxRetries: 0, next: 'failed' },
  {
    given: 'starting',
    when: 'the server drains, without retries',
    event: { ...events.attemptLost, drained: true },
    maxRetries: 0,
    next: 'queued',
  },
  {
    given: 'running',
    when: 'the server drains, without retries',
    event: { ...events.attemptLost, drained: true },
    maxRetries: 0,
    next: 'queued',
  },
  ...(['running', 'canceling'] as const).map((given) => ({
    given,
    when: 'it is forced',
    event: { ...events.cancel, force: true },
    next: 'canceled',
  })),
  {
    given: 'running',
    when: 'less time was held than the clock says',
    event: { ...events.activeDeadline, watched: { fencingToken: 7, heldMs: 1 } },
    next: 'running',
  },
  {
    given: 'queued',
    when: 'its start is put off',
    event: events.startNow,
    before: [],
    begins: { startAt: admittedAt + 3_600_000 },
    next: '=',
  },
  {
    given: 'queued',
    when: 'it waits for its next attempt',
    event: { ...events.startNow, at: admittedAt + 3_001 },
    before: [...pathTo.running, { ...events.attemptLost, retryAfterMs: 60_000 }],
    next: '.',
  },
  {
    given: 'queued',
    when: 'the server was away',
    event: { ...events.queueDeadline, lateMs: 60_000 },
    next: 'queued',
  },
  {
    given: 'acquiring',
    when: 'the server was away',
    event: { ...events.acquireDeadline, lateMs: 60_000 },
    maxRetries: 0,
    next: 'acquiring',
  },
  {
    given: 'starting',
    when: 'less time was held than the clock says',
    event: { ...events.startDeadline, watched: { fencingToken: 7, heldMs: 1 } },
    next: 'starting',
  },
  {
    given: 'awaitingToolResult',
    when: 'one of two results is there',
    event: events.continue,
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingToolResult',
    when: 'all results are there',
    event: { ...events.continue, answered: ['c2', 'c1'] },
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: 'queued',
  },
  {
    given: 'awaitingToolResult',
    when: 'the result is another call’s',
    event: { ...events.continue, answered: ['c9'] },
    next: '.',
  },
  { given: 'awaitingToolResult', when: 'it answers nothing', event: { ...events.continue, answered: [] }, next: '.' },
  {
    given: 'awaitingToolResult',
    when: 'one of two calls has come to its end',
    event: events.toolResult,
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingToolResult',
    when: 'another call has come to its end',
    event: { type: 'toolResult', toolCallId: 'c9' },
    next: '.',
  },
  {
    given: 'running',
    when: 'a call waits for an approval',
    event: { ...events.toolResultNeeded, awaiting: [approved('c1')] },
    next: 'awaitingToolResult',
  },
  {
    given: 'awaitingToolResult',
    when: 'the call waits for the approval',
    event: events.callApproved,
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [approved('c1')] }],
    next: '=',
  },
  {
    given: 'awaitingToolResult',
    when: 'it is the approval of another invocation',
    event: { ...events.callApproved, invocationId: 'opi_c9' },
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [approved('c1')] }],
    next: '.',
  },
  ...(['completed', 'failed'] as const).map((given) => ({
    given,
    when: 'a message waits',
    event: events.enqueue,
    before: [...pathTo.running, events.enqueue, events[given]],
    next: '=',
  })),
  {
    given: 'canceled',
    when: 'a message waits',
    event: events.enqueue,
    before: [...pathTo.running, { ...events.cancel, first: { query: 'Now' } }, events.reported],
    next: '=',
  },
  {
    given: 'awaitingDelegateResult',
    when: 'one of two results is there',
    event: events.delegateResult,
    before: [...pathTo.running, { ...events.delegateResultNeeded, awaiting: [delegate('c1'), delegate('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingDelegateResult',
    when: 'the result is another call’s',
    event: { type: 'delegateResult', toolCallId: 'c9' },
    next: '.',
  },
]

/** The meaning of an outcome for the state. */
