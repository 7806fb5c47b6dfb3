/**
 * What becomes of the attempts of a runner whose token is revoked: they are over, and their runs are queued again at no
 * cost. Requests for work that wait with the token end. A token that has expired, or that another one follows, lets its
 * attempts go on. Source: contract 5, "Runner protocol".
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
  /** Whether a token was revoked, or went with its pool. */
  isRevoked(tokenId: string): boolean | Promise<boolean>
  onError(error: unknown, what: string): void
}

const cause = { code: 'machine_unavailable', message: "The token of the attempt's runner was revoked." }

export class Fencing {
  constructor(private readonly parts: FencingParts) {}

  /** A change of authority that may be about a token, or about the pool that it went with. */
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
    // one that began while the token was looked up is found by its own token, at its first report
    for (const tokenId of tokens) {
      this.#fence(tokenId).catch((error) => onError(error, `the attempts of the token ${tokenId}`))
    }
  }

  /** Ends one attempt that has come with a token that was revoked. */
  async fence({ agentRunId, attemptId, fencingToken }: AttemptClaims): Promise<void> {
    const { actors, sessions, onError } = this.parts
    try {
      await actors.send(runAddress(agentRunId), { type: 'attemptLost', fencingToken, cause, drained: true })
    } catch (error) {
      const isOver = error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')
      // else the lease lapses by itself
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
