/**
 * The facts that the statechart admits a run by, at a start or a continue: the credential's permissions, and the
 * organization's remaining minutes and capacity. A preview gets the same facts. Source: requirement 3, "continue";
 * contract 5.
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import type { Admission } from '../../../machines/run.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Reservation } from '../record.ts'
import { type Reserve, refusalOf } from '../statistics/usage.ts'

interface Weighed {
  facts: Admission
  /** The reserved minutes; undefined if usage is not metered or no minutes are left. */
  reservation: Reservation | undefined
  /** A more specific error than the statechart's: which limit is reached. */
  refusal: ApiError | undefined
}

interface Weighing {
  look: boolean
  reserve: Reserve
  conversationFits?: boolean
  /** Whether the run is among the organization's live ones already, as one is that waits. */
  isLive?: boolean
}

/** The initial value: nothing is reserved. */
export const unweighed: Weighed = {
  facts: { authorized: true, budgetLeft: true, roomLeft: true, conversationFits: true },
  reservation: undefined,
  refusal: undefined,
}

/** The most tries of an admission. */
export const triesMax = 5

/**
 * Tries an admission again if a concurrent one has reached a limit: it then has to `look` at the rest. `again` gets
 * every other error with the number of tries, and throws unless the next try may succeed.
 */
export async function untilAdmitted<Answer>(
  admit: (look: boolean) => Promise<Answer>,
  again: (error: unknown, tries: number) => void | Promise<void>,
): Promise<Answer> {
  let look = false
  for (let tries = 1; ; tries += 1) {
    try {
      return await admit(look)
    } catch (error) {
      if (!(error instanceof LimitReached)) {
        await again(error, tries)
        continue
      }
      // a concurrent start took it: less is left, or nothing
      if (tries === triesMax) throw refusalOf(error)
      look = true
    }
  }
}

/**
 * Reserves the minutes that a new run needs, as far as the organization has them. `look` is that of `Reserve`;
 * `conversationFits` is omitted where a conversation begins, or its message was accepted before.
 */
export async function weigh(
  authorized: boolean,
  { organizationId, look, reserve, conversationFits = true, isLive = false }: Weighing & { organizationId: string },
): Promise<Weighed> {
  try {
    const reserving = reserve(organizationId, look, isLive)
    const reservation = reserving instanceof Promise ? await reserving : reserving
    const facts = { authorized, budgetLeft: true, roomLeft: true, conversationFits }
    return { facts, reservation, refusal: undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || !(error.code === 'budget_exhausted' || error.code === 'limit_exceeded'))
      throw error
    const facts = {
      authorized,
      budgetLeft: error.code !== 'budget_exhausted',
      roomLeft: error.code !== 'limit_exceeded',
      conversationFits,
    }
    return { facts, reservation: undefined, refusal: error }
  }
}

/** The same for a continue. */
export function weighContinue(
  caller: Caller,
  { state, row: { row } }: { state: string; row: { row: RunRow } },
  weighing: Omit<Weighing, 'isLive'>,
): Promise<Weighed> {
  const { project_id: projectId, environment_id: environmentId, agent_id: agentId } = row
  const isAuthorized = isWithinScope(caller, 'agent-runs:continue', { projectId, environmentId, agentId })
  return weigh(isAuthorized, { organizationId: caller.organizationId, ...weighing, isLive: !isRunEnd(state) })
}

/** The specific refusal, if there is one; otherwise the statechart's. */
export const inFull = ({ refusal }: Weighed, error: unknown): unknown =>
  refusal && error instanceof ApiError && error.code === refusal.code ? refusal : error
