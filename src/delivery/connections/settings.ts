/**
 * Validates the settings of a Connection by its kind: shape, absence of secrets, and allowed addresses. Source: contract 4,
 * "Precise points of sections 3 and 4"; trust 3.2.
 */
import type { TSchema } from '@sinclair/typebox'
import type { ConnectionRow } from '../../../storage/tables.ts'
import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import { type Validate, validator } from '../../platform/http/validation/validation.ts'
import { pointer } from '../../platform/json.ts'
import { UnsendableRequest } from '../../platform/outbound/error.ts'
import { assertHeaders } from '../../platform/outbound/headers.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import { requireHostAllowed, requireUrlAllowed } from '../../platform/outbound/setting.ts'
import { type UrlRules, webRules } from '../../platform/outbound/url.ts'
import { freeFormIssues, looksSecret, noSecrets, sizeIssues, urlIssues } from './secret-free.ts'
import {
  CustomSettings,
  DatabaseSettings,
  HttpSettings,
  MessagingSettings,
  ObjectStorageSettings,
} from './settings-schema.ts'

type ConnectionKind = ConnectionRow['kind']

/** Schemes with TLS, or without if private addresses are allowed; brokers have no usual port. */
const brokerRules: UrlRules = {
  schemes: ['https', 'wss', 'amqps', 'mqtts', 'rediss', 'nats', 'kafka', 'pulsar+ssl', 'tls', 'ssl'],
  plainSchemes: ['http', 'ws', 'amqp', 'mqtt', 'redis', 'pulsar', 'tcp'],
  ports: 'any',
}

/** The checks of a kind besides the schema. */
interface Judgement<Settings> {
  schema: TSchema
  issues(settings: Settings, path: string): Issue[]
  /** Throws `url_not_allowed` (422). */
  assertAddresses(settings: Settings, path: string, policy: OutboundPolicy): void
}

/** Issues of an address's query. The guard for URLs checks the rest. */
function queryIssues(address: string, path: string, allowed: boolean): Issue[] {
  const query = URL.parse(address)?.searchParams
  if (!query || query.size === 0) return []
  if (!allowed) return [{ path, message: 'Must not have a query.' }]
  return [...query.keys()].some(looksSecret) ? [{ path, message: noSecrets }] : []
}

function headerIssue(name: string, value: string): string | undefined {
  if (looksSecret(name)) return noSecrets
  try {
    assertHeaders({ [name]: value })
  } catch (error) {
    if (!(error instanceof UnsendableRequest)) throw error
    return error.message
  }
  return undefined
}

function authIssues({ auth, headerName }: HttpSettings, path: string): Issue[] {
  const at = `${path}/headerName`
  if (auth === 'header' && headerName === undefined) return [{ path: at, message: 'Is required with auth header.' }]
  if (auth !== 'header' && headerName !== undefined) return [{ path: at, message: 'Requires auth header.' }]
  if (headerName === undefined) return []
  try {
    assertHeaders({ [headerName]: '' })
    return []
  } catch {
    return [{ path: at, message: 'This header cannot be set.' }]
  }
}

const http: Judgement<HttpSettings> = {
  schema: HttpSettings,
  issues: (settings, path) => [
    ...queryIssues(settings.baseUrl, `${path}/baseUrl`, false),
    ...authIssues(settings, path),
    ...Object.entries(settings.headers ?? {}).flatMap(([name, value]) => {
      const message = headerIssue(name, value)
      return message === undefined ? [] : [{ path: `${path}/headers${pointer(name)}`, message }]
    }),
  ],
  assertAddresses: ({ baseUrl }, path, policy) => void requireUrlAllowed(`${path}/baseUrl`, baseUrl, policy, webRules),
}

const database: Judgement<DatabaseSettings> = {
  schema: DatabaseSettings,
  issues: () => [],
  assertAddresses: ({ host }, path, policy) => void requireHostAllowed(`${path}/host`, host, policy),
}

const objectStorage: Judgement<ObjectStorageSettings> = {
  schema: ObjectStorageSettings,
  issues: ({ endpoint }, path) => queryIssues(endpoint, `${path}/endpoint`, false),
  assertAddresses: ({ endpoint }, path, policy) =>
    void requireUrlAllowed(`${path}/endpoint`, endpoint, policy, webRules),
}

const messaging: Judgement<MessagingSettings> = {
  schema: MessagingSettings,
  issues: ({ url }, path) => queryIssues(url, `${path}/url`, true),
  assertAddresses: ({ url }, path, policy) => void requireUrlAllowed(`${path}/url`, url, policy, brokerRules),
}

const custom: Judgement<Record<string, unknown>> = {
  schema: CustomSettings,
  issues: freeFormIssues,
  assertAddresses: () => {},
}

const validations = { http, database, object_storage: objectStorage, messaging, custom } as unknown as Record<
  ConnectionKind,
  Judgement<unknown>
>

const validators = new Map<string, Validate>()

/** The validator for this kind and place; there are few of both. */
function validatorOf(kind: ConnectionKind, path: string): Validate {
  const key = `${kind} ${path}`
  const validate = validators.get(key) ?? validator(validations[kind].schema, path)
  validators.set(key, validate)
  return validate
}

/**
 * The settings to store. `path` is their place in the request (`/body/settings`). Throws `validation_failed` and
 * `url_not_allowed` (both 422).
 */
export function readSettings(
  kind: ConnectionKind,
  given: Record<string, unknown>,
  path: '/body/settings' | '/body/version/settings',
  policy: OutboundPolicy,
): Record<string, unknown> {
  const { issues, assertAddresses } = validations[kind]
  const settings = validatorOf(kind, path)(given) as Record<string, unknown>
  const found = kind === 'custom' ? issues(settings, path) : [...sizeIssues(settings, path), ...issues(settings, path)]
  if (found.length > 0) throw invalid(found.slice(0, 20))
  assertAddresses(settings, path, policy)
  // later, because the guard's error for the address itself is more specific
  const urls = urlIssues(settings, path)
  if (urls.length > 0) throw invalid(urls)
  return settings
}
