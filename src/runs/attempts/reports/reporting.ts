/** What all calls of an attempt over HTTP have in common. Source: contract 5, "Precise points", "Runner". */

import { notFound, serviceUnavailable, staleAttempt } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { AttemptNaming } from '../../../platform/http/guard/find.ts'
import { LeasesUnavailable } from '../../../platform/leases/leases.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { runAddress } from '../../record.ts'
import { StaleAttempt } from '../../runner/protocol/protocol.ts'
import type { AttemptPath } from '../schema.ts'

/** Does what an attempt asks for. */
export type Reporting = <Result>(
  claims: AttemptClaims,
  path: { agentRunId: string; attemptId: string },
  work: () => Promise<Result>,
) => Promise<Result>

/** A token speaks for its own attempt only. Throws `notFound`. */
export function assertOwn({ attempt, params }: AttemptNaming<typeof AttemptPath>): void {
  if (attempt.agentRunId !== params.agentRunId || attempt.attemptId !== params.attemptId) throw notFound()
}

/** A token speaks for its own attempt only (404); what an attempt says when stale is a conflict (409). */
export const reporting =
  (actors: Actors): Reporting =>
  async (claims, path, work) => {
    assertOwn({ attempt: claims, params: path })
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StaleAttempt)) throw leasesAway(error)
      throw staleAttempt((await actors.read(runAddress(path.agentRunId)))?.state ?? 'deleted')
    }
  }

/** While Redis is away nobody can say who holds what: the runner comes back. */
export const leasesAway = (error: unknown) =>
  error instanceof LeasesUnavailable ? serviceUnavailable('The leases of machines are away.') : error
