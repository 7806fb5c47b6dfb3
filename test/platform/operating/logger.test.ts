/** Design 6: logs redact secrets, and a `Secret` is printed as [redacted]. */
import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { createLogger, type LogLevel } from '../../../src/platform/operating/logger.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'

function logged(fields: object, level: LogLevel = 'info'): string {
  const lines: string[] = []
  createLogger(level, { write: (line) => void lines.push(line) }).info(fields, 'message')
  return lines.join('')
}

const secret = 'hunter2'
const secretNames = [
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'secret',
  'clientSecret',
  'client_secret',
  'signingSecret',
  'apiKey',
  'api_key',
  'x-api-key',
  'X-Api-Key',
  'password',
  'ownerPassword',
  'token',
  'accessToken',
  'refresh_token',
  'attemptToken',
  'csrfToken',
  'privateKey',
  'masterKeys',
  'TROUPE_MASTER_KEYS',
  'stripeSecretKey',
  'STRIPE_SECRET_KEY',
  'proxy-authorization',
  'credential',
  'passphrase',
]
const places: [string, (name: string) => object][] = [
  ['on top', (name) => ({ [name]: secret })],
  ['nested', (name) => ({ request: { headers: { [name]: secret } } })],
  ['in a list', (name) => ({ items: [{ a: 1 }, { [name]: secret }] })],
  ['in an object', (name) => ({ [name]: { value: secret } })],
  ['in what an object shows as JSON', (name) => ({ shown: { toJSON: () => ({ [name]: secret }) } })],
  ['in a cause', (name) => ({ err: new Error('outer', { cause: { [name]: secret } }) })],
]
describe.each(places)('%s', (_, place) => {
  test.each(secretNames)('%s is redacted', (name) => {
    const line = logged(place(name))
    expect(line).not.toContain(secret)
    expect(line).toContain('[redacted]')
  })
})

test.each(['tokens', 'inputTokens', 'totalTokens', 'secretVersion', 'tokenUsage', 'name', 'key', 'passwordless'])(
  '%s is not',
  (name) => {
    expect(logged({ [name]: 5 })).toContain(`"${name}":5`)
  },
)

test('request headers are redacted like other objects', () => {
  const line = logged({ headers: new Headers({ authorization: secret, accept: 'json' }) })
  expect(JSON.parse(line).headers).toEqual({ authorization: '[redacted]', accept: 'json' })
})

test('errors are logged with name, message, code, stack and cause only', () => {
  const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), {
    code: 'E1',
    config: { url: secret },
  })
  const line = logged({ err: error })
  const { err } = JSON.parse(line)
  expect(Object.keys(err)).toEqual(['type', 'message', 'code', 'stack', 'cause'])
  expect([err.type, err.message, err.code, err.cause.message]).toEqual(['TypeError', 'outer', 'E1', 'inner'])
  expect(line).not.toContain(secret)
})

test('a circular object does not end the server', () => {
  const circle: Record<string, unknown> = { password: secret }
  circle.self = circle
  expect(logged(circle)).not.toContain(secret)
})

test('a line is one line of JSON, whatever its content', () => {
  const line = logged({ requestId: 'a\n{"level":"error"}\u2028' })
  expect(line.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: 'message', requestId: 'a\n{"level":"error"}\u2028' })
})

test('lines below the level are not written', () => {
  expect(logged({ a: 1 }, 'warn')).toBe('')
})

describe('a Secret', () => {
  const hidden = new Secret(secret)
  const views: [string, string][] = [
    ['String', String(hidden)],
    ['a template', `${hidden}`],
    ['JSON', JSON.stringify({ hidden })],
    ['util.inspect', inspect({ hidden })],
    ['Bun.inspect', Bun.inspect({ hidden })],
    ['a log line', logged({ hidden })],
    ['its keys', JSON.stringify(Object.entries(hidden))],
  ]
  test.each(views)('is not shown in %s', (_, view) => {
    expect(view).not.toContain(secret)
  })
  test('can be revealed', () => {
    expect(hidden.reveal()).toBe(secret)
  })
})
