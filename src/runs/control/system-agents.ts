/** Another turn of an ended run of a System Agent. Source: contract 5, "Continue". */
import type { RunRow } from '../../../storage/tables.ts'
import { ApiError, targetNotFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { RunStarts } from '../admission/start.ts'

/** Judges whether a further turn of an Agent may begin. */
export type TurnAdmission = Pick<RunStarts, 'assertAdmits'>

/**
 * Throws 404 for a run of a System Agent that is disabled, as a start does. Runs of Projects pass: their commits have the
 * conditions of their place.
 */
export async function assertEnabled(
  starts: TurnAdmission,
  caller: Caller,
  { project_id: projectId, agent_id: agentId }: Pick<RunRow, 'project_id' | 'agent_id'>,
): Promise<void> {
  if (projectId !== null) return
  try {
    await starts.assertAdmits(caller, { agentId })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    throw targetNotFound('The System Agent of the run is disabled: no turn of it can begin until it is enabled.')
  }
}
