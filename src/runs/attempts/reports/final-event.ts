/** The final report of an attempt, in the words of the statechart. */
import type { AnyEventObject } from 'xstate'
import { digestOf } from '../../../platform/http/digest.ts'
import type { CompletionReport } from '../../runner/protocol/protocol.ts'

/** What the run's actor is told, and the one who reports the same again is known by. */
export function finalEvent(report: CompletionReport): AnyEventObject {
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
      // A runner that shuts down hands its attempt back, which is nobody's failure.
      return {
        type: 'attemptLost',
        cause,
        drained: code === 'machine_unavailable',
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }
    }
    case 'awaitingToolResult':
      return { type: 'toolResultNeeded', awaiting: report.awaiting }
    case 'awaitingDelegateResult':
      return { type: 'delegateResultNeeded', awaiting: report.awaiting }
    case 'canceled':
      return { type: 'reported' }
  }
}
