/** Access control: credentials, limits, the audit log, and the guard in front of all routes. */

import { type Config, publicUrlOf } from '../config.ts'
import type { Authenticator, CallerNow } from '../platform/http/guard/caller.ts'
import { clientAddress } from '../platform/http/guard/client-address.ts'
import { createGuarded, type Guarded } from '../platform/http/guard/guarded.ts'
import type { Tree } from '../platform/http/guard/parts.ts'
import type { DeviceAuthorizationLimiter } from '../platform/limits/device-authorizations.ts'
import type { AddressFailures } from '../platform/limits/failures.ts'
import type { MailLimiter } from '../platform/limits/mails.ts'
import type { MinuteLimiter } from '../platform/limits/minute-limiter.ts'
import { openLimits } from '../platform/limits/open-limits.ts'
import type { SignInLimiter } from '../platform/limits/sign-ins.ts'
import type { Lifecycle } from '../platform/operating/lifecycle.ts'
import type { Logger } from '../platform/operating/logger.ts'
import { namespaceOf } from '../platform/redis/namespace.ts'
import { deriveKey, type KeyRing } from '../platform/secrets/keyring.ts'
import type { Clock } from '../platform/time/clock.ts'
import { RunnerTokens } from '../runs/attempts/tokens.ts'
import { EmbedTickets } from '../runtime/statecharts/embedding/tickets.ts'
import { ApiKeyCredentials } from '../tenancy/authority/api-keys.ts'
import { RequestAuthenticator } from '../tenancy/authority/authenticator.ts'
import { FailedAttempts } from '../tenancy/authority/failed-attempts.ts'
import { KnownDevices } from '../tenancy/authority/known-devices.ts'
import { OpenStreams } from '../tenancy/authority/open-streams.ts'
import { SessionCredentials } from '../tenancy/authority/sessions.ts'
import { treeIn } from '../tenancy/projects/tree.ts'
import type { Core } from './core.ts'

/** The most failed authentications from one address in a minute. */
const failuresMax = 20

interface AccessParts {
  config: Config
  core: Core
  ring: KeyRing
  clock: Clock
  logger: Logger
  lifecycle: Lifecycle
  /** The peer address of a connection. */
  socketAddressOf(request: Request): string | undefined
}

/** Access control for the areas. */
export interface AccessOfAreas {
  guarded: Guarded
  /** For work that outlives a request, and has to authenticate its caller again. */
  authenticator: Authenticator
  /** The organization's tree, for the same purpose. */
  tree: Tree
  /** The client's address. */
  addressOf(request: Request): string | undefined
  sessions: SessionCredentials
  /** Browsers that have signed in before. */
  devices: KnownDevices
  /** Failed authentications by address. */
  failedAttempts: AddressFailures
  /** Open streams. */
  streams: OpenStreams
  /** Authenticates a credential again; undefined if it has ended. */
  callerNow: CallerNow
  /** The tickets of embedded charts. */
  embedTickets: EmbedTickets
  signIns: SignInLimiter
  mailLimiter: MailLimiter
  deviceLimiter: DeviceAuthorizationLimiter
  probeLimiter: MinuteLimiter
  simulationLimiter: MinuteLimiter
}

export async function openAccess({ config, core, ring, clock, logger, lifecycle, socketAddressOf }: AccessParts) {
  const { store, redisUrl, revocations, registrations, audit } = core
  const now = () => clock.now()
  const runnerToken =
    config.runnerToken?.reveal() ?? `trr_${Buffer.from(deriveKey(ring, 'runner-registration')).toString('base64url')}`
  const addressOf = (request: Request): string | undefined =>
    clientAddress(request.headers.get('x-forwarded-for'), socketAddressOf(request), config.trustedProxies)
  const cookies = {
    clock,
    key: deriveKey(ring, 'sessions'),
    secure: publicUrlOf(config, config.port).startsWith('https:'),
  }
  const sessions = new SessionCredentials({ ...cookies, store, logger })
  const attemptsMax = config.rateLimitPerMinute === 0 ? 0 : failuresMax
  const limits = await openLimits({
    redisUrl,
    namespace: namespaceOf(core.members),
    requestsPerMinute: config.rateLimitPerMinute,
    failuresMax: attemptsMax,
    now,
    log: logger,
  })
  const failedAttempts = limits.failures ?? new FailedAttempts({ clock, failuresMax: attemptsMax })
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
  const forAreas: AccessOfAreas = {
    guarded,
    authenticator,
    tree,
    addressOf,
    sessions,
    devices: new KnownDevices(cookies),
    failedAttempts,
    streams,
    async callerNow(holder) {
      const answer = await authenticator.again(holder)
      return answer && answer.endsAt > now() ? answer.known : undefined
    },
    embedTickets: new EmbedTickets({ clock, key: deriveKey(ring, 'embed-tickets') }),
    signIns: limits.signIns,
    mailLimiter: limits.mailLimiter,
    deviceLimiter: limits.deviceLimiter,
    probeLimiter: limits.probeLimiter,
    simulationLimiter: limits.simulationLimiter,
  }
  return {
    tokens,
    /** The token of external runners, which belongs to the first pool. */
    runnerToken,
    forAreas,
    close() {
      streams.close()
      limits.close()
    },
  }
}
