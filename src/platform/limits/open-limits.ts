/** Opens the configured limits. */
import type { RedisConnection, RedisLog } from '../redis/connection.ts'
import { ownNamespace } from '../redis/namespace.ts'
import { DeviceAuthorizationLimiter } from './device-authorizations.ts'
import { SharedFailures } from './failures.ts'
import { MailLimiter } from './mails.ts'
import { MinuteLimiter, probes, simulations } from './minute-limiter.ts'
import { CredentialRateLimiter } from './rate-limiter.ts'
import { SignInLimiter } from './sign-ins.ts'

/** The most that a request waits for Redis to count it. */
const patienceMs = 500

interface LimitsOptions {
  /** Without it, this process counts. */
  redisUrl?: string | undefined
  /** The prefix of keys in Redis. */
  namespace?: string
  /** Per credential; 0 is unlimited. */
  requestsPerMinute: number
  /** Failed authentications per address and minute; 0 is unlimited. */
  failuresMax?: number
  /** Epoch milliseconds, for the log. */
  now?: () => number
  log?: RedisLog
}

export interface Limits {
  rateLimiter?: CredentialRateLimiter
  signIns: SignInLimiter
  mailLimiter: MailLimiter
  deviceLimiter: DeviceAuthorizationLimiter
  probeLimiter: MinuteLimiter
  simulationLimiter: MinuteLimiter
  /** Absent without Redis, and without a limit. */
  failures?: SharedFailures
  close(): void
}

/** The server starts even if Redis is down. Source: contract 0, "Rate limits". */
export async function openLimits(options: LimitsOptions): Promise<Limits> {
  const connection = await connect(options)
  const { requestsPerMinute, failuresMax = 0 } = options
  const isOn = requestsPerMinute > 0
  return {
    ...(isOn && { rateLimiter: new CredentialRateLimiter(requestsPerMinute, connection) }),
    signIns: new SignInLimiter(connection),
    mailLimiter: new MailLimiter(connection),
    deviceLimiter: new DeviceAuthorizationLimiter(connection),
    probeLimiter: new MinuteLimiter(probes, isOn, connection),
    simulationLimiter: new MinuteLimiter(simulations, isOn, connection),
    ...(connection && failuresMax > 0 && { failures: new SharedFailures(failuresMax, connection) }),
    close: () => connection?.close(),
  }
}

async function connect({
  redisUrl,
  namespace = ownNamespace,
  now = Date.now,
  log,
}: LimitsOptions): Promise<RedisConnection | undefined> {
  if (redisUrl === undefined) return undefined
  // imported here so that a server without Redis never loads its client
  const { RedisConnection } = await import('../redis/connection.ts')
  const whenAway = 'Redis is down; each process counts requests for itself until it is up.'
  const connection = new RedisConnection({ url: redisUrl, keyPrefix: namespace, patienceMs, whenAway, now, log })
  await connection.open()
  return connection
}
