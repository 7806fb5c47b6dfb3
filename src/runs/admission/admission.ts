/**
 * What stands for and against a run that is to start or to go on: whether the credential may, and whether the organization
 * has minutes and room left. The statechart decides by these facts; who asks for a preview gets the same. Source:
 * requirement 3, "continue"; contract 5.
 */
import type { Admission } from '../../../machines/run.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Reservation } from '../record.ts'
import type { Reserve } from '../statistics/usage.ts'

export interface Weighed {
  facts: Admission
  /** What is set aside; undefined where nothing is metered, or nothing is left. */
  reservation: Reservation | undefined
  /** Says more than the statechart can of what is used up. */
  refusal: ApiError | undefined
}

/** Nothing has been asked for yet. */
export const unweighed: Weighed = {
  facts: { authorized: true, budgetLeft: true, roomLeft: true },
  reservation: undefined,
  refusal: undefined,
}

/** Sets aside what the run needs, as far as the organization has it. `look` is that of `Reserve`. */
export async function weigh(
  authorized: boolean,
  { organizationId, look, reserve }: { organizationId: string; look: boolean; reserve: Reserve },
): Promise<Weighed> {
  try {
    const reserving = reserve(organizationId, look)
    const reservation = reserving instanceof Promise ? await reserving : reserving
    return { facts: { authorized, budgetLeft: true, roomLeft: true }, reservation, refusal: undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || !(error.code === 'budget_exhausted' || error.code === 'limit_exceeded'))
      throw error
    const facts = {
      authorized,
      budgetLeft: error.code !== 'budget_exhausted',
      roomLeft: error.code !== 'limit_exceeded',
    }
    return { facts, reservation: undefined, refusal: error }
  }
}

/** The same for a run that the caller wants to go on. */
export function weighContinue(
  caller: Caller,
  { project_id: projectId, environment_id: environmentId, agent_id: agentId }: RunRow,
  { look, reserve }: { look: boolean; reserve: Reserve },
): Promise<Weighed> {
  const isAuthorized = isWithinScope(caller, 'agent-runs:continue', { projectId, environmentId, agentId })
  return weigh(isAuthorized, { organizationId: caller.organizationId, look, reserve })
}

/** The refusal of the statechart, in the words of whoever knows the limit. */
export const inFull = ({ refusal }: Weighed, error: unknown): unknown =>
  refusal && error instanceof ApiError && error.code === refusal.code ? refusal : error
