/** Sends a report of an attempt to its run's actor. */
import type { AnyEventObject } from 'xstate'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { By } from '../../../runtime/kind.ts'
import { runAddress } from '../../record.ts'
import { StaleAttempt } from '../../runner/protocol/protocol.ts'
import type { AttemptReportsParts, Sent } from './parts.ts'

/** Throws `StaleAttempt` if the attempt is no longer current, or ends with the report. */
export async function sendReport(
  { actors, sessions }: Pick<AttemptReportsParts, 'actors' | 'sessions'>,
  claims: AttemptClaims,
  event: AnyEventObject,
  { orElse, writes, patient }: Sent = {},
): Promise<void> {
  const by: By = { type: 'runner', id: claims.attemptId }
  const { fencingToken } = claims
  try {
    const { move } = await actors.send(
      runAddress(claims.agentRunId),
      { ...event, fencingToken },
      {
        by,
        ...(orElse && { orElse: { ...orElse, fencingToken } }),
        ...(writes && { writes: () => writes }),
        ...(patient && { patient }),
      },
    )
    if (move.event.type !== 'progressed' || move.from === move.to) return
  } catch (error) {
    // The statechart accepts no event of a stale attempt, and a deleted run has no attempts.
    if (error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')) {
      sessions.end(claims.attemptId)
      throw new StaleAttempt('The attempt has ended or was replaced.', { cause: error })
    }
    throw error
  }
  sessions.end(claims.attemptId)
  throw new StaleAttempt('The budget of the run is used up.')
}
