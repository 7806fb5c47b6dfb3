/** Who may do what: the credentials, the limits, the audit log, and the door that all routes are behind. */
import { AuditLog } from './audit/log.ts'
import { ApiKeyCredentials } from './authority/api-keys.ts'
import { RequestAuthenticator } from './authority/authenticator.ts'
import { FailedAttempts } from './authority/failed-attempts.ts'
import { KnownDevices } from './authority/known-devices.ts'
import { OpenStreams } from './authority/open-streams.ts'
import { openRevocations } from './authority/revocations.ts'
import { SessionCredentials } from './authority/sessions.ts'
import { type Config, publicUrlOf } from './config.ts'
import type { Core } from './core.ts'
import { clientAddress } from './http/client-address.ts'
import { createGuarded } from './http/guarded.ts'
import { openLimits } from './limits/open.ts'
import type { Lifecycle } from './operating/lifecycle.ts'
import type { Logger } from './operating/logger.ts'
import { treeIn } from './projects/tree.ts'
import { Registrations } from './runner-pools/registrations.ts'
import { RunnerTokens } from './runs/attempts/tokens.ts'
import type { Clock } from './runtime/clock.ts'
import { deriveKey, type KeyRing } from './secrets/keyring.ts'

/** Failed authentications from one address in a minute. */
const failuresMax = 20

export interface AccessParts {
  config: Config
  core: Core
  ring: KeyRing
  clock: Clock
  logger: Logger
  lifecycle: Lifecycle
  /** The address that a connection comes from. */
  socketAddressOf(request: Request): string | undefined
}

export async function openAccess({ config, core, ring, clock, logger, lifecycle, socketAddressOf }: AccessParts) {
  const { store, redisUrl } = core
  const now = () => clock.now()
  const runnerToken =
    config.runnerToken?.reveal() ?? `trr_${Buffer.from(deriveKey(ring, 'runner-registration')).toString('base64url')}`
  const addressOf = (request: Request): string | undefined =>
    clientAddress(request.headers.get('x-forwarded-for'), socketAddressOf(request), config.trustedProxies)
  const revocations = await openRevocations({ redisUrl, now, log: logger })
  const cookies = {
    clock,
    key: deriveKey(ring, 'sessions'),
    secure: publicUrlOf(config, config.port).startsWith('https:'),
  }
  const sessions = new SessionCredentials({ ...cookies, store, logger })
  const audit = new AuditLog({ store, clock, logger })
  const failedAttempts = new FailedAttempts({ clock, failuresMax: config.rateLimitPerMinute === 0 ? 0 : failuresMax })
  const registrations = new Registrations({ store, clock, revocations, logger })
  core.attempts.follow(revocations, (tokenId) => registrations.isRevoked(tokenId))
  core.exclusiveness.follow(revocations, core.onError)
  const tokens = new RunnerTokens({
    key: deriveKey(ring, 'attempt-tokens'),
    operatorToken: runnerToken,
    registrations,
    failedAttempts,
    addressOf,
    onRevoked: (claims) => core.attempts.fence(claims),
  })
  const authenticator = new RequestAuthenticator({
    apiKeys: new ApiKeyCredentials({ store, clock, logger }),
    sessions,
    revocations,
    clock,
    addressOf,
    failedAttempts,
  })
  const limits = await openLimits({ redisUrl, requestsPerMinute: config.rateLimitPerMinute, now, log: logger })
  const tree = treeIn(store)
  const streams = new OpenStreams({
    clock,
    revocations,
    again: (caller) => authenticator.again(caller),
    ofCredentialMax: config.streamsPerCredential,
    ofOrganizationMax: async (organizationId) => (await core.billing.terms.limits(organizationId)).openStreams,
    onChange: (change) => authenticator.forget(change),
    onError: core.onError,
  })
  const guarded = createGuarded({
    authenticator,
    lifecycle,
    runnerCredentials: tokens,
    tree,
    streams,
    ...(limits.rateLimiter && { rateLimiter: limits.rateLimiter }),
    audit,
    addressOf,
  })
  return {
    guarded,
    tokens,
    /** What runners elsewhere register with, for the first pool. */
    runnerToken,
    /** What areas need of it. */
    forAreas: {
      guarded,
      authenticator,
      tree,
      addressOf,
      revocations,
      sessions,
      devices: new KnownDevices(cookies),
      audit,
      failedAttempts,
      streams,
      signIns: limits.signIns,
      mailLimiter: limits.mailLimiter,
    },
    async close() {
      streams.close()
      await revocations.close()
      limits.close()
    },
  }
}
