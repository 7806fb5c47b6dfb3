/** The invocations of a run's calls, as runs use them. Source: contract 6, "Precise points". */
import type { Write } from '../../../storage/store.ts'
import { closings } from '../runner/conversation/messages.ts'
import type { CallOutcome } from '../runner/protocol/protocol.ts'

/** The settlement of a call that a continued run no longer waits for. */
export interface ClosedCall {
  outcome: CallOutcome
  /** Preconditions of the commit; otherwise `StaleWrite`. */
  writes: Write[]
}

export interface CallApprovals {
  /** Reports the outcome of the invocation to its run, if it has ended. */
  notify(invocationId: string): Promise<void>
  /** Cancels invocations that wait for an approval; they never execute. */
  withdraw(origin: { agentRunId: string }): Promise<void>
  /** The same for a canceled or expired run; also aborts invocations in progress. */
  abort(origin: { agentRunId: string }): Promise<void>
  /** Does not throw for a deleted invocation, whose call is never answered. */
  close(invocationId: string): Promise<ClosedCall>
}

/** For a server without operations. */
export const noApprovals: CallApprovals = {
  notify: async () => {},
  withdraw: async () => {},
  abort: async () => {},
  close: async () => ({ outcome: closings.superseded, writes: [] }),
}
