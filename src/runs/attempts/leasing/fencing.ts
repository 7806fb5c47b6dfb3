/**
 * Ends the attempts of a runner whose token is revoked and queues their runs again without using up a retry. Waiting
 * lease requests of the token end too. The attempts of an expired or rotated token continue. Source: contract 5,
 * "Runner protocol".
 */
import { operatorTokenId } from '../../../../storage/runs/first-runner-pool.ts'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { Change } from '../../../tenancy/authority/revocations.ts'
import { runAddress } from '../../record.ts'
import type { AttemptSessions } from '../sessions.ts'
import type { WaitingClaims } from './claims.ts'

export interface FencingParts {
  actors: Actors
  sessions: AttemptSessions
  waiting: WaitingClaims
  /** Whether a token was revoked or deleted with its pool. */
  isRevoked(tokenId: string): boolean | Promise<boolean>
  onError(error: unknown, what: string): void
}

const cause = { code: 'machine_unavailable', message: "The token of the attempt's runner was revoked." }

export class Fencing {
  constructor(private readonly parts: FencingParts) {}

  /** Handles a change that may concern a token or its pool. */
  heard({ organizationId, userId, credentialId }: Change): void {
    if (credentialId === undefined && (organizationId !== undefined || userId !== undefined)) return
    const { waiting, sessions, onError } = this.parts
    const isMeant = ({ poolId, tokenId }: { poolId: string; tokenId: string | null }) =>
      tokenId !== null && (credentialId === undefined || credentialId === tokenId || credentialId === poolId)
    waiting.end(isMeant)
    const tokens = new Set<string>()
    for (const { claims } of sessions.all()) {
      if (claims.runner?.tokenId && isMeant(claims.runner)) tokens.add(claims.runner.tokenId)
    }
    // an attempt that began during the query is ended at its first report
    for (const tokenId of tokens) {
      this.#fence(tokenId).catch((error) => onError(error, `the attempts of the token ${tokenId}`))
    }
  }

  /** Ends an attempt whose runner token was revoked. */
  async fence({ agentRunId, attemptId, fencingToken }: AttemptClaims): Promise<void> {
    const { actors, sessions, onError } = this.parts
    try {
      await actors.send(runAddress(agentRunId), { type: 'attemptLost', fencingToken, cause, drained: true })
    } catch (error) {
      const isOver = error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')
      // otherwise the lease expires
      if (!isOver) onError(error, `the attempt of ${agentRunId} whose token was revoked`)
    }
    sessions.end(attemptId)
  }

  async #fence(tokenId: string): Promise<void> {
    if (tokenId === operatorTokenId || !(await this.parts.isRevoked(tokenId))) return
    const held = [...this.parts.sessions.all()].filter(({ claims }) => claims.runner?.tokenId === tokenId)
    await Promise.all(held.map(({ claims }) => this.fence(claims)))
  }
}
