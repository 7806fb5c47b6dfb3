/**
 * Every setting of the server: environment variables, read once into one frozen object. This table is also `--help` (`command-line.ts`).
 * Source: contract 9, "Configuration".
 */
import { senderIn } from './platform/mail/address.ts'
import { mailServerIn } from './platform/mail/smtp-url.ts'
import { keylessPlatform } from './platform/models/keyless-platform.ts'
import { type Vendor, vendorIds } from './platform/models/vendors.ts'
import { logLevels } from './platform/operating/logger.ts'
import { type Environment, unknownSettings } from './platform/operating/unknown-settings.ts'
import {
  address,
  choice,
  flag,
  InvalidSetting,
  integer,
  milliseconds,
  origins,
  positive,
  secret,
  secretAddress,
  text,
  type Variable,
} from './platform/operating/variable.ts'
import { assertBatchFits, traceVariables } from './platform/tracing/settings.ts'

/** How the server is started. */
export const command = 'bun src/main.ts'

const day = 86_400_000
const year = 365 * day

const about = (name: string, meaning: string) => ({ name, meaning })
const baseUrl = (vendor: Vendor) =>
  address(
    about(`TROUPE_${vendor.toUpperCase()}_BASE_URL`, `the base URL of ${vendor}'s API, including the version path`),
    ['https', 'http'],
    false,
    "the vendor's",
  )
const baseUrls = Object.fromEntries(vendorIds.map((vendor) => [`${vendor}BaseUrl`, baseUrl(vendor)])) as Record<
  `${Vendor}BaseUrl`,
  ReturnType<typeof baseUrl>
>
const filePath = /^[^\0]+$/
const token = (of: ReturnType<typeof about>) => secret(of, '8 to 512 printable characters', /^[\x21-\x7e]{8,512}$/)

const variables = {
  port: integer(about('PORT', 'the port to listen on; 0 chooses a free port and prints it'), 3000, 0, 65535),
  host: text(
    about('TROUPE_HOST', 'the address to listen on'),
    '127.0.0.1',
    'a host name or an address',
    /^[\w.:-]{1,255}$/,
  ),
  environment: choice(
    about('NODE_ENV', 'production requires master keys and has no sandbox'),
    ['development', 'test', 'production'],
    'development',
  ),
  logLevel: choice(about('LOG_LEVEL', 'the lowest level of log lines'), logLevels, 'info'),
  store: text(
    about('TROUPE_STORE', 'sqlite:PATH, sqlite::memory: or postgres://…'),
    'sqlite:./data/troupe.db',
    'sqlite:PATH, sqlite::memory: or postgres://…',
    /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
  ),
  redisUrl: secretAddress(about('REDIS_URL', 'Redis for leases, rate limits and live events; none = embedded'), [
    'redis',
    'rediss',
  ]),
  publicUrl: address(
    about('TROUPE_PUBLIC_URL', 'the base URL that clients use'),
    ['https', 'http'],
    false,
    'http://localhost:PORT',
  ),
  trustedProxies: integer(
    about('TROUPE_TRUSTED_PROXIES', 'the number of proxies that append to X-Forwarded-For'),
    0,
    0,
    16,
  ),
  consoleUrl: address(
    about('TROUPE_CONSOLE_URL', "the console's origin"),
    ['https', 'http'],
    true,
    'http://localhost:PORT',
  ),
  embedAncestors: origins(
    about(
      'TROUPE_EMBED_ANCESTORS',
      'origins, separated by commas, whose pages may frame live charts (/embed); * = any',
    ),
    "the console's only",
  ),
  masterKeys: secret(
    about('TROUPE_MASTER_KEYS', 'comma list of keyId:base64 of 32 bytes; the first one encrypts'),
    'a comma list of keyId:base64 of 32 bytes',
    /^\s*[\w.-]{1,64}:[A-Za-z0-9+/_-]{43}=?\s*(,\s*[\w.-]{1,64}:[A-Za-z0-9+/_-]{43}=?\s*)*$/,
    'a generated file beside the store; required in production',
  ),
  ownerEmail: text(
    about('TROUPE_OWNER_EMAIL', 'first start: the owner'),
    'owner@localhost',
    'an email address',
    /^[^\s@]{1,64}@[^\s@]{1,190}$/,
  ),
  ownerPassword: secret(
    about('TROUPE_OWNER_PASSWORD', "first start: the owner's password"),
    '8 to 1024 characters',
    /^.{8,1024}$/su,
    'generated',
  ),
  bootstrapApiKey: secret(
    about('TROUPE_BOOTSTRAP_API_KEY', 'first start: the API key'),
    'an API key: trp_ and 49 letters and digits',
    /^trp_[0-9A-Za-z]{49}$/,
    'generated',
  ),
  smtpUrl: secret(
    about('TROUPE_SMTP_URL', 'the mail server: smtp://user:password@host:587, or smtps://…; none = no mail'),
    'smtp:// or smtps:// with a host, and if need be with user:password@ (percent-encoded) and a port',
    { test: (given) => mailServerIn(given) !== undefined },
  ),
  mailFrom: text(
    about('TROUPE_MAIL_FROM', 'the sender of mails'),
    null,
    'an email address, or Name <address>',
    { test: (given) => senderIn(given) !== undefined },
    "no-reply@ and the console's host",
  ),
  runner: choice(
    about('TROUPE_RUNNER', 'embedded, or none for external runners only'),
    ['embedded', 'none'],
    'embedded',
  ),
  runnerSlots: integer(about('TROUPE_RUNNER_SLOTS', 'concurrent attempts of the embedded runner'), 64, 1, 4096),
  runnerToken: secret(
    about('TROUPE_RUNNER_TOKEN', 'the token of external runners'),
    '16 to 512 printable characters',
    /^[\x21-\x7e]{16,512}$/,
    'generated',
  ),
  leaseTtlMs: integer(about('TROUPE_LEASE_TTL_MS', 'how long a lease lasts without a heartbeat'), 30_000, 100, day),
  attemptBackoffMs: integer(about('TROUPE_ATTEMPT_BACKOFF_MS', 'first back-off before another attempt'), 1000, 0, day),
  cancelGraceMs: integer(about('TROUPE_CANCEL_GRACE_MS', 'how long a canceled run may still report'), 30_000, 0, day),
  queueTtlMs: integer(about('TROUPE_QUEUE_TTL_MS', 'how long a run may be queued'), day, 1, year),
  awaitTtlMs: integer(about('TROUPE_AWAIT_TTL_MS', 'how long a run may await a result'), 7 * day, 1, year),
  activeLimitMs: integer(about('TROUPE_ACTIVE_LIMIT_MS', 'how long a run may be active'), 3_600_000, 1, year),
  approvalTtlMs: integer(about('TROUPE_APPROVAL_TTL_MS', 'how long an approval may be pending'), 3 * day, 1, year),
  workerLeaseMs: integer(about('TROUPE_WORKER_LEASE_MS', 'how long a worker may be silent'), 30_000, 100, day),
  platformProvider: choice(
    about('TROUPE_PLATFORM_PROVIDER', 'the platform default'),
    [...vendorIds, 'sandbox'],
    null,
    'sandbox outside production, else unconfigured',
  ),
  platformModel: text(
    about('TROUPE_PLATFORM_MODEL', "the platform default's model"),
    null,
    '1 to 200 characters',
    /^\S.{0,199}$/,
    "the provider's",
  ),
  platformApiKey: secret(
    about('TROUPE_PLATFORM_API_KEY', "the platform default's key"),
    '1 to 4096 printable characters',
    /^[\x20-\x7e]{1,4096}$/,
  ),
  ...baseUrls,
  allowPrivateAddresses: flag(
    about('TROUPE_ALLOW_PRIVATE_ADDRESSES', 'tenants may use private addresses; for development'),
    false,
  ),
  webhookBackoffMs: milliseconds(
    about('TROUPE_WEBHOOK_BACKOFF_MS', 'the delays after attempt 1, 2 …'),
    '5 s to 24 h over 10 attempts',
  ),
  webhookTimeoutMs: integer(about('TROUPE_WEBHOOK_TIMEOUT_MS', 'the timeout of one attempt'), 15_000, 1, 600_000),
  webhookLeaseMs: integer(about('TROUPE_WEBHOOK_LEASE_MS', 'how long an attempt may be in flight'), 60_000, 1, day),
  webhookFailingMs: integer(
    about('TROUPE_WEBHOOK_FAILING_MS', 'a webhook whose attempts (ten or more) all fail for this long is disabled'),
    432_000_000,
    1,
    year,
  ),
  contentRetentionDays: positive(
    about('TROUPE_CONTENT_RETENTION_DAYS', 'how long the content of a run is kept after its start'),
    30,
    3650,
  ),
  eventRetentionDays: positive(
    about('TROUPE_EVENT_RETENTION_DAYS', 'how long events and deliveries are kept'),
    30,
    3650,
  ),
  runRetentionDays: positive(
    about('TROUPE_RUN_RETENTION_DAYS', 'how long runs are kept after their end; then they are removed completely'),
    null,
    3650,
    'forever',
  ),
  sweepIntervalMs: integer(
    about(
      'TROUPE_SWEEP_INTERVAL_MS',
      'the interval at which expired data is removed, starting seconds after the start',
    ),
    600_000,
    100,
    day,
  ),
  operationRetentionDays: positive(
    about('TROUPE_OPERATION_RETENTION_DAYS', 'how long invocations and workflow runs are kept after their end'),
    null,
    3650,
    'forever',
  ),
  auditRetentionDays: positive(about('TROUPE_AUDIT_RETENTION_DAYS', 'how long the audit log is kept'), 365, 3650),
  presetsFile: text(
    about('TROUPE_PRESETS_FILE', 'a JSON list of OAuth presets, which add to the built-in ones or replace them by key'),
    null,
    'a path',
    filePath,
    'built in',
  ),
  pricesFile: text(
    about('TROUPE_PRICES_FILE', 'a JSON list of model prices, which enables the costs of runs'),
    null,
    'a path',
    filePath,
  ),
  plansFile: text(about('TROUPE_PLANS_FILE', 'a JSON list of plans'), null, 'a path', filePath, 'built in'),
  stripeSecretKey: token(about('STRIPE_SECRET_KEY', 'billing by Stripe')),
  stripeWebhookSecret: token(about('STRIPE_WEBHOOK_SECRET', "verifies Stripe's webhook")),
  stripeBaseUrl: address(about('TROUPE_STRIPE_BASE_URL', "Stripe's address"), ['https', 'http'], true, "Stripe's"),
  stripeTimeoutMs: integer(about('TROUPE_STRIPE_TIMEOUT_MS', 'the timeout of one request'), 10_000, 1, 60_000),
  createOrganizations: choice(
    about('TROUPE_CREATE_ORGANIZATIONS', 'who may create organizations: owners of the first one, or anyone'),
    ['owners', 'anyone'],
    'owners',
  ),
  rateLimitPerMinute: integer(
    about('TROUPE_RATE_LIMIT_PER_MINUTE', 'requests per minute for each credential; 0 = off'),
    6000,
    0,
    10_000_000,
  ),
  metricsToken: token(about('TROUPE_METRICS_TOKEN', 'the bearer token that /metrics requires; none = open')),
  streamsPerCredential: integer(
    about(
      'TROUPE_STREAMS_PER_CREDENTIAL',
      'the most event streams and waiting requests of a credential; 0 = unlimited',
    ),
    100,
    0,
    1_000_000,
  ),
  ...traceVariables,
}

type Values = {
  readonly [Key in keyof typeof variables]: (typeof variables)[Key] extends Variable<infer Value> ? Value : never
}
export type Config = Values

/** Every setting with its name in `Config`. */
export const settings: readonly [string, Variable<unknown>][] = Object.entries(variables)

/** The environment variables of the server. */
export const settingNames: ReadonlySet<string> = new Set(settings.map(([, { name }]) => name))

/**
 * Reads the environment. An empty variable is an unset one. Throws `InvalidSetting`, whose message is one line that names
 * the variable. Warnings are one line each: for all unknown `TROUPE_*` variables, and for a platform default without its key.
 */
export function readConfig(environment: Environment): { config: Config; warnings: string[] } {
  const values = Object.fromEntries(
    settings.map(([key, variable]) => [key, variable.read(environment[variable.name] || undefined)]),
  )
  const config = Object.freeze(values) as unknown as Config
  if (config.environment === 'production' && !config.masterKeys) {
    throw new InvalidSetting('TROUPE_MASTER_KEYS: is required in production, as k1:$(openssl rand -base64 32)')
  }
  if (config.webhookTimeoutMs >= config.webhookLeaseMs) {
    const bound = `TROUPE_WEBHOOK_LEASE_MS (${config.webhookLeaseMs})`
    throw new InvalidSetting(`TROUPE_WEBHOOK_TIMEOUT_MS: must be below ${bound}, not ${config.webhookTimeoutMs}`)
  }
  assertBatchFits(config, environment)
  if (config.publicUrl && new URL(config.publicUrl).username) {
    throw new InvalidSetting('TROUPE_PUBLIC_URL: must not have a user name or a password, because clients are shown it')
  }
  return { config, warnings: [...unknownSettings(environment, settingNames, command), ...keylessPlatform(config)] }
}

/** The base URL that clients use, once the port is known. */
export const publicUrlOf = ({ publicUrl }: Config, port: number): string => publicUrl ?? `http://localhost:${port}`
