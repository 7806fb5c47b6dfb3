/**
 * The credentials of the runner protocol: the registration token, and one signed token for each attempt. An attempt's
 * token outlives its lease, so that a stale attempt hears that it is stale and not that it is unknown.
 */
import { timingSafeEqual } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { AttemptClaims, RunnerCredentials } from '../../http/caller.ts'
import { ApiError } from '../../http/errors.ts'

const lifeSeconds = 7 * 24 * 3_600
const issuer = 'troupe'
const audience = 'runner'

const refused = () => new ApiError(401, 'invalid_attempt_token', 'The token of the runner or attempt is not valid.')

const bearer = (authorization: string | null): string => {
  if (!authorization?.startsWith('Bearer ')) throw refused()
  return authorization.slice('Bearer '.length)
}

/** Compares without telling by its time where two texts differ, or how long they are. */
const same = (left: string, right: string) => {
  const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(hash(left), hash(right))
}

export class RunnerTokens implements RunnerCredentials {
  /** `key`: 32 bytes to sign attempt tokens with. */
  constructor(
    private readonly key: Uint8Array,
    private readonly registrationToken: string,
  ) {}

  sign({ agentRunId, attemptId, agentRevisionId, fencingToken }: AttemptClaims): Promise<string> {
    return new SignJWT({ attemptId, agentRevisionId, fencingToken })
      .setProtectedHeader({ alg: 'HS256', typ: 'attempt+jwt' })
      .setSubject(agentRunId)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifeSeconds}s`)
      .sign(this.key)
  }

  registration(authorization: string | null) {
    if (!same(bearer(authorization), this.registrationToken)) throw refused()
  }

  async attempt(authorization: string | null): Promise<AttemptClaims> {
    const token = bearer(authorization)
    try {
      const { payload } = await jwtVerify(token, this.key, {
        issuer,
        audience,
        algorithms: ['HS256'],
        typ: 'attempt+jwt',
      })
      const { sub, attemptId, agentRevisionId, fencingToken } = payload
      if (
        typeof sub !== 'string' ||
        typeof attemptId !== 'string' ||
        typeof agentRevisionId !== 'string' ||
        typeof fencingToken !== 'number'
      ) {
        throw refused()
      }
      return { agentRunId: sub, attemptId, agentRevisionId, fencingToken }
    } catch {
      throw refused()
    }
  }
}
