/** Suspends a run until results come from outside. Source: contract 5, "Continue" and "Statechart". */
import type { PendingInput } from '../../../machines/run.ts'
import { type AttemptWork, type AwaitedCall, startCall } from './attempt-work.ts'
import type { CompletionReport } from './protocol/protocol.ts'

/**
 * Suspends the run: first for interactive tools and for calls that the server reports, then, in a later attempt, for
 * external delegates, at any level of the agent tree. null: interrupted before it could.
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
  const runs = new Map(awaited.map(({ agentStepId, invocation }) => [agentStepId, invocation?.workflowRunId]))
  for (const agentStepId of [...steps, ...innermostFirst(awaited)]) {
    const workflowRunId = runs.get(agentStepId)
    reports.endStep(agentStepId, { status, ...(workflowRunId !== undefined && { execution: { workflowRunId } }) })
  }
  if (status === 'canceled') return null
  reports.checkpoint(steps[0]!, { kind: 'suspended', runtimeCheckpoint: conversations.checkpoint() })
  const awaiting = chosen.map(({ call, invocation }): PendingInput => ({ kind, ...call, ...invocation }))
  return { outcome: kind === 'tool' ? 'awaitingToolResult' : 'awaitingDelegateResult', awaiting }
}

/** The steps of the waiting delegates, innermost first. A step has a greater id than its parent steps. */
const innermostFirst = (awaited: AwaitedCall[]): number[] =>
  [...new Set(awaited.flatMap(({ within }) => within))].sort((one, other) => other - one)
