/** The invocations and workflow runs of a run's calls, as runs use them. Source: contract 6, "Precise points". */
import { type PendingInput, reportedBy, type ServerWork } from '../../../machines/run.ts'
import type { Write } from '../../../storage/store.ts'
import { closings } from '../runner/conversation/messages.ts'
import type { CallOutcome, SettledCall } from '../runner/protocol/protocol.ts'

/** The settlement of a call that a continued run no longer waits for. */
export interface ClosedCall {
  outcome: CallOutcome
  /** Preconditions of the commit; otherwise `StaleWrite`. */
  writes: Write[]
}

export interface CallApprovals {
  /** What the call waits for if its approval was decided; undefined while a person has to decide. */
  workOf(id: string): Promise<ServerWork | undefined>
  /** Reports the outcome of the invocation or workflow run to its run, if it has ended, or that it was approved. */
  notify(id: string): Promise<void>
  /** Cancels invocations that wait for an approval; they never execute. */
  withdraw(origin: { agentRunId: string }): Promise<void>
  /** The same for a canceled or expired run; also aborts invocations in progress, and cancels workflow runs. */
  abort(origin: { agentRunId: string }): Promise<void>
  /** The run continues without the call. Does not throw for a deleted invocation, whose call is never answered. */
  close(runId: string, id: string): Promise<ClosedCall>
}

/** A continue does not wait for approvals: closes the calls among these that wait for one. */
export async function closeAll(approvals: CallApprovals, runId: string, awaited: readonly PendingInput[]) {
  const closed: SettledCall[] = []
  const writes: Write[] = []
  for (const pending of awaited) {
    const id = reportedBy(pending)
    if (id === undefined) continue
    const call = await approvals.close(runId, id)
    closed.push({ toolCallId: pending.toolCallId, outcome: call.outcome })
    writes.push(...call.writes)
  }
  return { closed, writes }
}

/** For a server without operations. */
export const noApprovals: CallApprovals = {
  workOf: async () => undefined,
  notify: async () => {},
  withdraw: async () => {},
  abort: async () => {},
  close: async () => ({ outcome: closings.superseded, writes: [] }),
}
