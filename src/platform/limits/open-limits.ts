/** The limits that the configuration asks for. */
import type { RedisConnection, RedisLog } from '../redis/connection.ts'
import { MailLimiter } from './mails.ts'
import { CredentialRateLimiter } from './rate-limiter.ts'
import { SignInLimiter } from './sign-ins.ts'

/** A request waits no longer than this for Redis to count it, and only until the connection is given up. */
const patienceMs = 500

export interface LimitsOptions {
  /** Without it, limits are counted in this process. */
  redisUrl?: string | undefined
  /** Of one credential; 0 is no limit at all. */
  requestsPerMinute: number
  /** Epoch milliseconds, of the log. */
  now?: () => number
  log?: RedisLog
}

export interface Limits {
  rateLimiter?: CredentialRateLimiter
  signIns: SignInLimiter
  mailLimiter: MailLimiter
  close(): void
}

/** A Redis that is away does not stop the start. Source: contract 0, "Rate limits". */
export async function openLimits(options: LimitsOptions): Promise<Limits> {
  const connection = await connect(options)
  const { requestsPerMinute } = options
  return {
    ...(requestsPerMinute > 0 && { rateLimiter: new CredentialRateLimiter(requestsPerMinute, connection) }),
    signIns: new SignInLimiter(connection),
    mailLimiter: new MailLimiter(connection),
    close: () => connection?.close(),
  }
}

async function connect({ redisUrl, now = Date.now, log }: LimitsOptions): Promise<RedisConnection | undefined> {
  if (redisUrl === undefined) return undefined
  // only here, so that a server without Redis never loads its client
  const { RedisConnection } = await import('../redis/connection.ts')
  const whenAway = 'Redis is away; each process counts requests for itself until it is back.'
  const connection = new RedisConnection({ url: redisUrl, patienceMs, whenAway, now, log })
  await connection.open()
  return connection
}
