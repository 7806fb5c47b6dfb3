/**
 * Stops the model call of an attempt before its step or the attempt ends, so that its tokens count. Reports may arrive
 * at another server than the call: a hint notifies that server, which records the tokens a moment later.
 */
import type { Hints } from '../../../platform/bus/hints.ts'
import { isMetered } from '../reports/step-costs.ts'
import type { AttemptSession } from '../sessions.ts'

/**
 * Stops the call in progress. Resolves once its usage is recorded, if the call is at this server. Without it, another
 * server may have the call of an external runner: of the given step, or of any open one.
 */
export type StopCall = (session: AttemptSession, agentStepId?: number) => undefined | Promise<void>

export const callStopper =
  (hints?: Pick<Hints, 'tell'>): StopCall =>
  ({ claims, modelCall, openSteps }, agentStepId) => {
    if (modelCall) return modelCall.stop('stale')
    if (claims.runner?.tokenId == null) return undefined
    for (const step of openSteps.values()) {
      const isMeant = agentStepId === undefined || step.agent_step_id === agentStepId
      if (!isMeant || step.kind !== 'model' || isMetered(step)) continue
      hints?.tell('modelCall', wordOf(claims.fencingToken, step.agent_step_id), true)
    }
    return undefined
  }

/** The id of the hint: the call of this step alone, since the runner may have begun the next one. */
const wordOf = (fencingToken: number, agentStepId: number) => `${fencingToken} ${agentStepId}`

export const readWord = (word: string): [fencingToken: number, agentStepId: number] => {
  const [fencingToken, agentStepId] = word.split(' ').map(Number)
  return [fencingToken as number, agentStepId as number]
}
