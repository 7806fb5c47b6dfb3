import fc from 'fast-check'
import { createRunMachine } from '../../machines/run.ts'
import { pathOf } from '../../src/runtime/decisions/nesting.ts'
import { leafNodes } from '../support/nested-states.ts'

const limits = {
  backOffMs: 1_000,
  backOffMaxMs: 60_000,
  queueTtlMs: 86_400_000,
  awaitTtlMs: 604_800_000,
  handoffMs: 60_000,
  activeLimitMs: 3_600_000,
  cancelGraceMs: 30_000,
}
export const run = createRunMachine(limits)
export const runStates = leafNodes(run).map(({ key }) => key)
export const runEvents = [
  ...new Set(leafNodes(run).flatMap((leaf) => pathOf(leaf).flatMap(({ transitions }) => [...transitions.keys()]))),
  'neverHeardOf',
  'create',
]

const token = fc.constantFrom(0, 6, 7, 8)
export const moment = fc.integer({ min: 0, max: 10_000_000 })
export const count = fc.integer({ min: 0, max: 10 })
const callId = fc.constantFrom('c1', 'c2', 'c3')
const cause = fc.record({ code: fc.constantFrom('lease_lost', 'tool_error'), message: fc.string({ maxLength: 5 }) })
const awaiting = fc.array(
  fc.record({
    kind: fc.constantFrom('tool', 'delegate'),
    toolName: fc.constant('ask'),
    toolCallId: callId,
    input: fc.jsonValue({ maxDepth: 1 }),
  }),
  { maxLength: 3 },
)
export const context = fc.record({
  maxRetries: count,
  retriesLeft: count,
  attempt: count,
  chain: fc.integer({ min: 1, max: 5 }),
  lease: fc.option(fc.record({ attemptId: fc.constant('att_1'), machine: fc.constant('m1'), fencingToken: token })),
  settled: fc.option(fc.record({ attemptId: fc.constant('att_0'), reportDigest: fc.constant('r0') })),
  activeMs: moment,
  activeSince: fc.option(moment),
  availableAt: moment,
  awaiting,
  stopRequested: fc.boolean(),
  cause: fc.option(cause),
  stopReason: fc.option(fc.constantFrom('end_turn', 'max_steps')),
  startedAt: fc.option(moment),
  endedAt: fc.option(moment),
})
/** Any payload may come with any event: the chart must check it. */
export const payload = fc.record(
  {
    fencingToken: token,
    attemptId: fc.constant('att_1'),
    machine: fc.constant('m1'),
    reportDigest: fc.constant('r1'),
    stopReason: fc.constantFrom('end_turn', 'content_filter'),
    cause,
    awaiting,
    drained: fc.boolean(),
    retryAfterMs: moment,
    toolCallId: callId,
    answered: fc.array(callId, { maxLength: 3 }),
    maxRetries: count,
    lateMs: moment,
    watched: fc.record({ fencingToken: token, heldMs: moment }),
    authorized: fc.boolean(),
    budgetLeft: fc.boolean(),
    roomLeft: fc.boolean(),
    conversationFits: fc.boolean(),
    reports: fc.constant([]),
  },
  // The token decides nearly everything.
  { requiredKeys: ['fencingToken', 'cause', 'awaiting'] },
)
export const stamped = fc.record({ at: moment, chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) })
