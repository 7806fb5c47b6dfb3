/**
 * Stops the model call of an attempt before its step or the attempt ends, so that its tokens count. Reports may arrive
 * at another server than the call: a hint notifies that server, which records the tokens a moment later.
 */
import type { Hints } from '../../../platform/bus/hints.ts'
import { isMetered } from '../reports/step-costs.ts'
import type { AttemptSession } from '../sessions.ts'

/** Stops the call in progress. Resolves once its usage is recorded, if the call is at this server. */
export type StopCall = (session: AttemptSession) => undefined | Promise<void>

export const callStopper =
  (hints?: Pick<Hints, 'tell'>): StopCall =>
  (session) => {
    if (session.modelCall) return session.modelCall.stop('stale')
    if (mayHaveCall(session)) hints?.tell('modelCall', String(session.claims.fencingToken), true)
    return undefined
  }

/** Whether an external runner may have a model call in progress: a step is open whose tokens are not recorded. */
function mayHaveCall({ claims, openSteps }: AttemptSession): boolean {
  if (claims.runner?.tokenId == null) return false
  for (const step of openSteps.values()) if (step.kind === 'model' && !isMetered(step)) return true
  return false
}
