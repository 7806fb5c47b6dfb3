/** Common handling of an attempt's HTTP requests. Source: contract 5, "Precise points", "Runner". */

import type { RunContext } from '../../../../machines/run.ts'
import { notBooted, notFound, serviceUnavailable, staleAttempt } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { AttemptNaming } from '../../../platform/http/guard/find.ts'
import { LeasesUnavailable } from '../../../platform/leases/leases.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import { StaleAttempt } from '../../runner/protocol/protocol.ts'
import type { AttemptPath } from '../schema.ts'

/** Handles one request of an attempt. */
export type Reporting = <Result>(
  claims: AttemptClaims,
  path: { agentRunId: string; attemptId: string },
  work: () => Promise<Result>,
) => Promise<Result>

/** Requires that the token belongs to the attempt in the path. Throws `notFound`. */
export function assertOwn({ attempt, params }: AttemptNaming<typeof AttemptPath>): void {
  if (attempt.agentRunId !== params.agentRunId || attempt.attemptId !== params.attemptId) throw notFound()
}

/** Checks that the token belongs to the attempt (404) and answers stale attempts with a conflict (409). */
export const reporting =
  (actors: Actors): Reporting =>
  async (claims, path, work) => {
    assertOwn({ attempt: claims, params: path })
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StaleAttempt)) throw leasesAway(error)
      const run = await actors.read<RunRecord, RunContext>(runAddress(path.agentRunId))
      const isOwn = run?.context.lease?.fencingToken === claims.fencingToken
      throw isOwn && run?.state === 'starting' ? notBooted() : staleAttempt(run?.state ?? 'deleted')
    }
  }

/** Answers 503 while Redis is unavailable, so that the runner retries. */
export const leasesAway = (error: unknown) =>
  error instanceof LeasesUnavailable ? serviceUnavailable('Machine leases are unavailable.') : error
