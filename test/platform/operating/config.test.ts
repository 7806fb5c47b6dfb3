/** Contract 9, "Configuration": one table, read once; an invalid setting stops the start with one line. */
import { expect, test } from 'bun:test'
import { type Config, readConfig } from '../../../src/config.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'
import { helpText } from '../../../src/server/command-line.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const plain = (value: unknown) => (value instanceof Secret ? value.reveal() : value)

const defaults: [keyof Config, unknown][] = [
  ['port', 3000],
  ['host', '127.0.0.1'],
  ['store', 'sqlite:./data/troupe.db'],
  ['redisUrl', null],
  ['publicUrl', null],
  ['masterKeys', null],
  ['ownerEmail', 'owner@localhost'],
  ['runner', 'embedded'],
  ['runnerSlots', 64],
  ['leaseTtlMs', 30_000],
  ['attemptBackoffMs', 1000],
  ['cancelGraceMs', 30_000],
  ['queueTtlMs', 86_400_000],
  ['awaitTtlMs', 604_800_000],
  ['activeLimitMs', 3_600_000],
  ['platformProvider', null],
  ['openaiBaseUrl', null],
  ['allowPrivateAddresses', false],
  ['webhookBackoffMs', null],
  ['webhookTimeoutMs', 15_000],
  ['webhookLeaseMs', 60_000],
  ['webhookFailingMs', 432_000_000],
  ['approvalTtlMs', 259_200_000],
  ['contentRetentionDays', 30],
  ['eventRetentionDays', 30],
  ['auditRetentionDays', 365],
  ['stripeSecretKey', null],
  ['rateLimitPerMinute', 6000],
  ['trustedProxies', 0],
  ['logLevel', 'info'],
  ['otelEndpoint', null],
]
test.each(defaults)('%s is %p by default', (name, value) => {
  expect(readConfig({}).config[name]).toEqual(value as never)
})

const given: [string, string, keyof Config, unknown][] = [
  ['PORT', '0', 'port', 0],
  ['TROUPE_HOST', '::', 'host', '::'],
  ['TROUPE_STORE', 'postgres://user:pass@db/troupe', 'store', 'postgres://user:pass@db/troupe'],
  ['REDIS_URL', 'redis://:pass@cache:6379', 'redisUrl', 'redis://:pass@cache:6379'],
  ['TROUPE_PUBLIC_URL', 'https://troupe.test/', 'publicUrl', 'https://troupe.test'],
  ['TROUPE_RUNNER', 'none', 'runner', 'none'],
  ['TROUPE_RUNNER_SLOTS', '4096', 'runnerSlots', 4096],
  ['TROUPE_RATE_LIMIT_PER_MINUTE', '0', 'rateLimitPerMinute', 0],
  ['TROUPE_ALLOW_PRIVATE_ADDRESSES', 'true', 'allowPrivateAddresses', true],
  ['TROUPE_WEBHOOK_BACKOFF_MS', '10, 20,30', 'webhookBackoffMs', [10, 20, 30]],
  ['TROUPE_EVENT_RETENTION_DAYS', '0.001', 'eventRetentionDays', 0.001],
  ['TROUPE_PLATFORM_PROVIDER', 'mistral', 'platformProvider', 'mistral'],
  ['TROUPE_OPENAI_BASE_URL', 'http://127.0.0.1:8000/v1', 'openaiBaseUrl', 'http://127.0.0.1:8000/v1'],
  ['TROUPE_MASTER_KEYS', `a:${key(1)},b:${key(2)}`, 'masterKeys', `a:${key(1)},b:${key(2)}`],
  ['TROUPE_BOOTSTRAP_API_KEY', `trp_${'a'.repeat(49)}`, 'bootstrapApiKey', `trp_${'a'.repeat(49)}`],
  ['TROUPE_PRESETS_FILE', './presets.json', 'presetsFile', './presets.json'],
  ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
  ['NODE_ENV', 'test', 'environment', 'test'],
  ['PORT', '', 'port', 3000],
]
test.each(given)('%s=%s', (name, text, field, value) => {
  expect(plain(readConfig({ [name]: text }).config[field])).toEqual(value)
})

const invalid: [string, string, string][] = [
  ['TROUPE_RUNNER_SLOTS', 'abc', 'TROUPE_RUNNER_SLOTS: must be an integer from 1 to 4096, not "abc"'],
  ['TROUPE_RUNNER_SLOTS', '0', 'TROUPE_RUNNER_SLOTS: must be an integer from 1 to 4096, not "0"'],
  ['TROUPE_RUNNER_SLOTS', '1e3', 'TROUPE_RUNNER_SLOTS: must be an integer from 1 to 4096, not "1e3"'],
  ['PORT', '65536', 'PORT: must be an integer from 0 to 65535, not "65536"'],
  ['PORT', ' 80', 'PORT: must be an integer from 0 to 65535, not " 80"'],
  ['TROUPE_STORE', 'mysql://x', 'TROUPE_STORE: must be sqlite:PATH, sqlite::memory: or postgres://…, not "mysql://x"'],
  ['TROUPE_RUNNER', 'maybe', 'TROUPE_RUNNER: must be one of embedded, none, not "maybe"'],
  ['TROUPE_ALLOW_PRIVATE_ADDRESSES', '1', 'TROUPE_ALLOW_PRIVATE_ADDRESSES: must be true or false, not "1"'],
  [
    'TROUPE_WEBHOOK_BACKOFF_MS',
    '1,,2',
    'TROUPE_WEBHOOK_BACKOFF_MS: must be a comma list of whole milliseconds, not "1,,2"',
  ],
  [
    'TROUPE_WEBHOOK_BACKOFF_MS',
    '1 000, 2 000',
    'TROUPE_WEBHOOK_BACKOFF_MS: must be a comma list of whole milliseconds, not "1 000, 2 000"',
  ],
  ['TROUPE_EVENT_RETENTION_DAYS', '0', 'TROUPE_EVENT_RETENTION_DAYS: must be a number above 0, at most 3650, not "0"'],
  [
    'TROUPE_PUBLIC_URL',
    'troupe.test',
    'TROUPE_PUBLIC_URL: must be a URL that begins with https:// or http://, not "troupe.test"',
  ],
  [
    'TROUPE_CONSOLE_URL',
    'https://a.test/x',
    'TROUPE_CONSOLE_URL: must be a URL that begins with https:// or http://, without a path, not "https://a.test/x"',
  ],
  ...['https://a.test; script-src *', 'a.test', "'self'", 'https://a.test/x', '*, https://a.test'].map(
    (given): [string, string, string] => [
      'TROUPE_EMBED_ANCESTORS',
      given,
      `TROUPE_EMBED_ANCESTORS: must be a comma list of origins like https://app.example, or *, not "${given}"`,
    ],
  ),
  ['REDIS_URL', 'http://cache', 'REDIS_URL: must be a URL that begins with redis:// or rediss://'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, not "loud"'],
  ['TROUPE_MASTER_KEYS', 'hunter2', 'TROUPE_MASTER_KEYS: must be a comma list of keyId:base64 of 32 bytes'],
  ['TROUPE_OWNER_PASSWORD', 'short', 'TROUPE_OWNER_PASSWORD: must be 8 to 1024 characters'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'collector:4318',
    'OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL that begins with https:// or http://, not "collector:4318"',
  ],
  [
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'grpc',
    'OTEL_EXPORTER_OTLP_PROTOCOL: must be one of http/protobuf, http/json, not "grpc"',
  ],
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'hunter2',
    'OTEL_EXPORTER_OTLP_HEADERS: must be name=value, separated by commas, percent-encoded',
  ],
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'a=%0a',
    'OTEL_EXPORTER_OTLP_HEADERS: must be name=value, separated by commas, percent-encoded',
  ],
  [
    'OTEL_RESOURCE_ATTRIBUTES',
    'a=%zz',
    'OTEL_RESOURCE_ATTRIBUTES: must be name=value, separated by commas, percent-encoded, not "a=%zz"',
  ],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, not "2"'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0', 'OTEL_BSP_MAX_QUEUE_SIZE: must be an integer from 1 to 1000000, not "0"'],
  ['OTEL_SDK_DISABLED', 'yes', 'OTEL_SDK_DISABLED: must be true or false, not "yes"'],
  ['STRIPE_SECRET_KEY', 'a b c d e', 'STRIPE_SECRET_KEY: must be 8 to 512 printable characters'],
]
test.each(invalid)('%s=%s stops the start with one line', (name, text, line) => {
  expect(() => readConfig({ [name]: text })).toThrow(line)
  try {
    readConfig({ [name]: text })
  } catch (error) {
    expect((error as Error).message).toBe(line)
  }
})

test.each([
  [{ TROUPE_WEBHOOK_TIMEOUT_MS: '60000' }, 'below TROUPE_WEBHOOK_LEASE_MS (60000), not 60000'],
  [{ TROUPE_WEBHOOK_LEASE_MS: '10000' }, 'below TROUPE_WEBHOOK_LEASE_MS (10000), not 15000'],
  [
    { TROUPE_WEBHOOK_LEASE_MS: '500', TROUPE_WEBHOOK_TIMEOUT_MS: '501' },
    'below TROUPE_WEBHOOK_LEASE_MS (500), not 501',
  ],
])('%j: an attempt must end before its lease', (environment, must) => {
  expect(() => readConfig(environment)).toThrow(`TROUPE_WEBHOOK_TIMEOUT_MS: must be ${must}`)
})

test.each([
  [{ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2049' }, 'at most OTEL_BSP_MAX_QUEUE_SIZE (2048), not 2049'],
  [
    { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '21', OTEL_BSP_MAX_QUEUE_SIZE: '20' },
    'at most OTEL_BSP_MAX_QUEUE_SIZE (20), not 21',
  ],
])('%j: a batch of spans must fit into their queue', (environment, must) => {
  expect(() => readConfig(environment)).toThrow(`OTEL_BSP_MAX_EXPORT_BATCH_SIZE: must be ${must}`)
})

test('a queue of spans below the default batch is accepted', () => {
  expect(readConfig({ OTEL_BSP_MAX_QUEUE_SIZE: '20' }).config.otelQueueSpansMax).toBe(20)
})

test('a password in an address is not repeated', () => {
  expect(() => readConfig({ TROUPE_STORE: 'mysql://user:hunter2@db/x' })).toThrow(/^TROUPE_STORE: [^2]*$/)
})

test('unknown TROUPE_ variables cause a warning, others are ignored', () => {
  const environment = {
    TROUPE_RUNER: 'x',
    TROUPE_STORE: 'sqlite::memory:',
    HOME: '/',
    TROUPE_PORT: '1',
    TROUPE_KEY: 'k',
    TROUPE_API_KEY: 'k',
    TROUPE_CONFIG: '/tmp/config.json',
    TROUPE_SERVER: '/opt/troupe',
  }
  expect(readConfig(environment).warnings).toEqual([
    'TROUPE_PORT, TROUPE_RUNER are not settings of this program, and ignored; see bun src/main.ts --help',
  ])
})

test('a vendor without its key causes a warning, unless another server needs none', () => {
  const environment = { TROUPE_PLATFORM_PROVIDER: 'openai' }
  expect(readConfig(environment).warnings).toEqual([
    'TROUPE_PLATFORM_API_KEY is not set, so the platform default openai is not configured: runs that name no provider are refused',
  ])
  for (const set of [
    { TROUPE_PLATFORM_API_KEY: 'k' },
    { TROUPE_OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' },
    { TROUPE_PLATFORM_PROVIDER: 'sandbox' },
  ]) {
    expect(readConfig({ ...environment, ...set }).warnings).toEqual([])
  }
})

test('the address that clients are shown has no password', () => {
  expect(() => readConfig({ TROUPE_PUBLIC_URL: 'https://ada:hunter2@troupe.example' })).toThrow(
    /^TROUPE_PUBLIC_URL: must not have a user name or a password[^2]*$/,
  )
})

test('the configuration is immutable, and shows no secret', () => {
  const { config } = readConfig({ TROUPE_OWNER_PASSWORD: 'hunter2hunter2', TROUPE_PLATFORM_API_KEY: 'hunter2' })
  expect(() => Object.assign(config, { port: 1 })).toThrow()
  expect(JSON.stringify(config)).not.toContain('hunter2')
  expect(Bun.inspect(config)).not.toContain('hunter2')
})

test('every variable of the contract is in --help, with its default', () => {
  const help = helpText()
  const names =
    'PORT TROUPE_HOST TROUPE_STORE REDIS_URL TROUPE_PUBLIC_URL TROUPE_CONSOLE_URL TROUPE_MASTER_KEYS TROUPE_OWNER_EMAIL TROUPE_OWNER_PASSWORD TROUPE_BOOTSTRAP_API_KEY TROUPE_RUNNER TROUPE_RUNNER_SLOTS TROUPE_RUNNER_TOKEN TROUPE_LEASE_TTL_MS TROUPE_ATTEMPT_BACKOFF_MS TROUPE_CANCEL_GRACE_MS TROUPE_QUEUE_TTL_MS TROUPE_AWAIT_TTL_MS TROUPE_ACTIVE_LIMIT_MS TROUPE_PLATFORM_PROVIDER TROUPE_PLATFORM_MODEL TROUPE_PLATFORM_API_KEY TROUPE_ANTHROPIC_BASE_URL TROUPE_OPENAI_BASE_URL TROUPE_GOOGLE_BASE_URL TROUPE_MISTRAL_BASE_URL TROUPE_XAI_BASE_URL TROUPE_GROQ_BASE_URL TROUPE_DEEPSEEK_BASE_URL TROUPE_COHERE_BASE_URL TROUPE_ALLOW_PRIVATE_ADDRESSES TROUPE_WEBHOOK_BACKOFF_MS TROUPE_WEBHOOK_TIMEOUT_MS TROUPE_WEBHOOK_LEASE_MS TROUPE_WEBHOOK_FAILING_MS TROUPE_APPROVAL_TTL_MS TROUPE_EVENT_RETENTION_DAYS TROUPE_AUDIT_RETENTION_DAYS TROUPE_PRESETS_FILE TROUPE_PLANS_FILE STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET TROUPE_STRIPE_BASE_URL TROUPE_RATE_LIMIT_PER_MINUTE LOG_LEVEL OTEL_EXPORTER_OTLP_ENDPOINT NODE_ENV'
  for (const name of names.split(' ')) expect(help).toMatch(new RegExp(`^  ${name} .*\\(default: .+\\)$`, 'm'))
})
