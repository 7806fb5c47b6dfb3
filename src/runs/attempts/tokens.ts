/**
 * Authenticates the runner protocol: tokens of runner pools, and a signed token for each attempt. An attempt's token
 * outlives its lease, so that a stale attempt is told that it is stale rather than unknown. It becomes invalid when the
 * runner token that leased the attempt is revoked.
 */

import { timingSafeEqual } from 'node:crypto'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { firstPoolId, operatorTokenId } from '../../../storage/runs/first-runner-pool.ts'
import { type ApiError, invalidAttemptToken } from '../../platform/http/answers/errors.ts'
import type {
  AttemptClaims,
  LeasingRunner,
  RunnerCredentials,
  RunnerRegistration,
} from '../../platform/http/guard/caller.ts'
import type { AddressFailures } from '../../platform/limits/failures.ts'
import type { Registrations } from '../runner-pools/registrations.ts'

const lifeSeconds = 7 * 24 * 3_600
const issuer = 'troupe'
const audience = 'runner'
const scheme = 'Bearer '

/** Compares in constant time, whatever the lengths. */
const same = (left: string, right: string) => {
  const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(hash(left), hash(right))
}

interface RunnerTokensParts {
  /** The key that signs attempt tokens, 32 bytes. */
  key: Uint8Array
  /** `TROUPE_RUNNER_TOKEN`: authenticates runners of the first pool. */
  operatorToken: string
  registrations: Pick<Registrations, 'find' | 'isRevoked' | 'noteOperatorUse'>
  /** Omitted: failures are not counted. */
  failedAttempts?: AddressFailures
  /** The client's address, needed only for a failed request. */
  addressOf?: (request: Request) => string | undefined
  /** Called for an attempt that reports after its token was revoked. */
  onRevoked?: (claims: AttemptClaims) => void
}

const ofOperator: RunnerRegistration = {
  poolId: firstPoolId,
  organizationId: null,
  tokenId: operatorTokenId,
  endsAt: Number.POSITIVE_INFINITY,
}

export class RunnerTokens implements RunnerCredentials {
  constructor(private readonly parts: RunnerTokensParts) {}

  sign({ agentRunId, attemptId, agentRevisionId, fencingToken, runner }: AttemptClaims): Promise<string> {
    return new SignJWT({ attemptId, agentRevisionId, fencingToken, ...(runner && { runner }) })
      .setProtectedHeader({ alg: 'HS256', typ: 'attempt+jwt' })
      .setSubject(agentRunId)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifeSeconds}s`)
      .sign(this.parts.key)
  }

  async registration(authorization: string | null, request: Request): Promise<RunnerRegistration> {
    const { operatorToken, registrations } = this.parts
    const token = authorization?.startsWith(scheme) ? authorization.slice(scheme.length) : undefined
    if (token === undefined) throw await this.#refusal(request)
    if (same(token, operatorToken)) {
      registrations.noteOperatorUse()
      return ofOperator
    }
    const registration = await registrations.find(token)
    if (!registration) throw await this.#refusal(request)
    return registration
  }

  async attempt(authorization: string | null, request: Request): Promise<AttemptClaims> {
    const { registrations, onRevoked } = this.parts
    const claims = await this.#verify(authorization)
    if (!claims) throw await this.#refusal(request)
    const { tokenId } = claims.runner ?? {}
    if (tokenId) {
      const revoked = registrations.isRevoked(tokenId)
      if (revoked instanceof Promise ? await revoked : revoked) {
        onRevoked?.(claims)
        throw invalidAttemptToken()
      }
    }
    return claims
  }

  async #verify(authorization: string | null): Promise<AttemptClaims | undefined> {
    if (!authorization?.startsWith(scheme)) return undefined
    try {
      const { payload } = await jwtVerify(authorization.slice(scheme.length), this.parts.key, {
        issuer,
        audience,
        algorithms: ['HS256'],
        typ: 'attempt+jwt',
      })
      return claimsOf(payload)
    } catch {
      return undefined
    }
  }

  #refusal(request: Request): ApiError | Promise<ApiError> {
    const { failedAttempts, addressOf } = this.parts
    // a request without a token is not a guess
    const address = request.headers.has('authorization') ? addressOf?.(request) : undefined
    return failedAttempts?.refuse(address, 'an invalid token', invalidAttemptToken) ?? invalidAttemptToken()
  }
}

function claimsOf({ sub, attemptId, agentRevisionId, fencingToken, runner }: JWTPayload): AttemptClaims | undefined {
  if (
    typeof sub !== 'string' ||
    typeof attemptId !== 'string' ||
    typeof agentRevisionId !== 'string' ||
    typeof fencingToken !== 'number'
  ) {
    return undefined
  }
  const known = runner as LeasingRunner | undefined
  return { agentRunId: sub, attemptId, agentRevisionId, fencingToken, ...(known && { runner: known }) }
}
