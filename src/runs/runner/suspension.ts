/** A run that waits: for the results of calls that nobody here can make. Source: contract 5, "Continue" and "Statechart". */
import type { PendingInput } from '../../../machines/run.ts'
import { type AttemptWork, type AwaitedCall, startCall } from './attempt-work.ts'
import type { CompletionReport } from './protocol/protocol.ts'

/**
 * Lets the run wait: for the results of interactive tools and of calls that the server tells of first, for those of delegates
 * in a later attempt, wherever in the tree of agents they were called. Null: it was interrupted before it could.
 */
export async function suspend(work: AttemptWork, awaited: AwaitedCall[]): Promise<CompletionReport | null> {
  const { conversations, interruption, reports } = work
  const kind = awaited.some((pending) => pending.kind === 'tool') ? 'tool' : 'delegate'
  const chosen = interruption.reason ? [] : awaited.filter((pending) => pending.kind === kind)
  const begun = awaited.flatMap(({ agentStepId }) => agentStepId ?? [])
  const started = await Promise.all(
    chosen.flatMap(({ call, place, agentStepId }) => (agentStepId ? [] : startCall(work, place, call, kind))),
  )
  const steps = [...begun, ...started]
  const status = interruption.reason ? 'canceled' : 'waiting'
  for (const agentStepId of [...steps, ...innermostFirst(awaited)]) reports.endStep(agentStepId, { status })
  if (status === 'canceled') return null
  reports.checkpoint(steps[0]!, { kind: 'suspended', runtimeCheckpoint: conversations.checkpoint() })
  const awaiting = chosen.map(({ call, invocation }): PendingInput => ({ kind, ...call, ...invocation }))
  return { outcome: kind === 'tool' ? 'awaitingToolResult' : 'awaitingDelegateResult', awaiting }
}

/** The steps of the delegates that wait with the run. A step has a greater number than those above it. */
const innermostFirst = (awaited: AwaitedCall[]): number[] =>
  [...new Set(awaited.flatMap(({ within }) => within))].sort((one, other) => other - one)
