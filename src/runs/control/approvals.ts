/** What runs ask of the invocations that their calls have become. Source: contract 6, "Precise points". */
import type { Write } from '../../../storage/store.ts'
import { closings } from '../runner/conversation/messages.ts'
import type { CallOutcome } from '../runner/protocol/protocol.ts'

/** How a call is closed by a run that goes on without it. */
export interface ClosedCall {
  outcome: CallOutcome
  /** What has to hold when that is committed; else `StaleWrite`. */
  writes: Write[]
}

export interface CallApprovals {
  /** Tells the run of the invocation how that has ended, if it has. */
  notify(invocationId: string): Promise<void>
  /** Ends those that wait for an approval: they never run. */
  withdraw(origin: { agentRunId: string }): Promise<void>
  /** The same, for a run that is canceled or has expired; what is under way is aborted. */
  abort(origin: { agentRunId: string }): Promise<void>
  /** Throws nothing for an invocation that is gone: nobody will answer that call. */
  close(invocationId: string): Promise<ClosedCall>
}

/** For a server without operations. */
export const noApprovals: CallApprovals = {
  notify: async () => {},
  withdraw: async () => {},
  abort: async () => {},
  close: async () => ({ outcome: closings.superseded, writes: [] }),
}
