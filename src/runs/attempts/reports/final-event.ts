/** Converts the final report of an attempt to an event of the statechart. */
import type { AnyEventObject } from 'xstate'
import { decided, type PendingInput } from '../../../../machines/run.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import type { CallApprovals } from '../../control/approvals.ts'
import type { CompletionReport } from '../../runner/protocol/protocol.ts'

/** The event for the run's actor, with the digest that identifies a repeated report. */
export async function finalEvent(
  report: CompletionReport,
  approvals: Pick<CallApprovals, 'workOf'>,
): Promise<AnyEventObject> {
  switch (report.outcome) {
    case 'completed':
      return {
        type: 'completed',
        stopReason: report.stopReason,
        output: report.output,
        outputDigest: digestOf(report.output ?? null),
      }
    case 'failed': {
      const { code, message, retryable, retryAfterMs } = report.error
      const cause = { code, message }
      if (!retryable) return { type: 'failed', cause }
      // A runner that shuts down returns its attempt, which is not a failure.
      return {
        type: 'attemptLost',
        cause,
        drained: code === 'machine_unavailable',
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }
    }
    case 'awaitingToolResult':
      return { type: 'toolResultNeeded', awaiting: await Promise.all(report.awaiting.map(asDecided)) }
    case 'awaitingDelegateResult':
      return { type: 'delegateResultNeeded', awaiting: report.awaiting }
    case 'canceled':
      return { type: 'reported' }
  }

  /** The approval may have been decided since the call: other calls of the attempt, or an earlier one, took their time. */
  async function asDecided(call: PendingInput): Promise<PendingInput> {
    const work = call.invocationId && (await approvals.workOf(call.invocationId))
    return work ? decided(call, work) : call
  }
}
