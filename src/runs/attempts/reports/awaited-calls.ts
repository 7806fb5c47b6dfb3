/** Checks what a report says that its run waits for: a runner names only what the server has made for the same call. */
import type { PendingInput } from '../../../../machines/run.ts'
import { findInvocationOfCall } from '../../../../storage/automation/invocations.ts'
import { findWorkflowRunOfCall } from '../../../../storage/automation/workflows.ts'
import type { Store } from '../../../../storage/store.ts'
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'
import type { CompletionReport } from '../../runner/protocol/protocol.ts'

/** The server's answer to a call, and its form in a message. */
const made = { invocationId: 'invocation', approvalId: 'approval', workflowRunId: 'workflow run' } as const
const names = Object.keys(made) as (keyof typeof made)[]

/**
 * Throws 422 for an invocation, an approval or a workflow run of another call: who decides on the approval sees this
 * call, and would approve the other one. `assertCurrent` runs before, and throws if the attempt is no longer current.
 */
export async function assertAwaited(
  store: Store,
  runId: string,
  report: CompletionReport,
  assertCurrent: () => Promise<void>,
): Promise<void> {
  const issues: Issue[] = []
  for (const [index, call] of ('awaiting' in report ? report.awaiting : []).entries()) {
    const named = names.filter((name) => call[name] !== undefined)
    if (named.length === 0) continue
    const known = await idsOf(store, runId, call)
    for (const name of named) {
      if (call[name] === known[name]) continue
      issues.push({ path: `/body/awaiting/${index}/${name}`, message: `Must be the ${made[name]} of this call.` })
    }
  }
  if (issues.length === 0) return
  await assertCurrent()
  throw invalid(issues.slice(0, 20))
}

async function idsOf(store: Store, runId: string, { toolCallId }: PendingInput) {
  const [invocation, workflowRun] = await Promise.all([
    store.first(findInvocationOfCall(store, { agentRunId: runId, toolCallId })),
    store.first(findWorkflowRunOfCall(store, { agentRunId: runId, toolCallId })),
  ])
  return { invocationId: invocation?.id, approvalId: invocation?.approval_id, workflowRunId: workflowRun?.id }
}
