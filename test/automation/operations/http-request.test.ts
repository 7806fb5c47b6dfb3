import { describe, expect, test } from 'bun:test'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'
import { type HttpHandler, requestOf } from '../../../src/automation/operations/http-request.ts'
import type { HttpSettings } from '../../../src/delivery/connections/settings-schema.ts'

const values = {
  input: { id: 'x y', list: ['a'], bad: 'a\r\nX-Evil: 1', up: '../admin', many: ['a b', 1, null, {}], empty: [] },
  variables: new Map([['KEY', 'k']]),
}
const handler = (changes: object): HttpHandler => ({
  type: 'http',
  connection: 'shop',
  method: 'GET',
  path: '/',
  ...changes,
})
const settings = (changes: object = {}): HttpSettings => ({ baseUrl: 'https://api.example.com/v1', ...changes })
const build = (ofHandler: object, ofSettings: object = {}, secret: string | null = null) =>
  requestOf(handler(ofHandler), settings(ofSettings), secret, values)

const at = 'https://api.example.com/v1'

describe('the address', () => {
  test.each([
    [{}, { path: '/orders' }, 'https://api.example.com/v1/orders'],
    [{ baseUrl: 'https://api.example.com' }, { path: '/orders' }, 'https://api.example.com/orders'],
    [{ baseUrl: 'https://api.example.com/v1/' }, { path: '/' }, 'https://api.example.com/v1/'],
    [{}, { path: '/o/{{input.up}}' }, 'https://api.example.com/v1/o/..%2Fadmin'],
    [
      {},
      { path: '/o?a=1', query: { q: '{{input.id}}', none: '{{input.none}}', k: 'a&b' } },
      'https://api.example.com/v1/o?a=1&q=x%20y&k=a%26b',
    ],
    [
      {},
      { path: '/o?a=1', query: { 'l[]': '{{input.many}}', one: 'in {{input.list}}' } },
      `${at}/o?a=1&l%5B%5D=a%20b&l%5B%5D=1&l%5B%5D=%7B%7D&one=in%20%5B%22a%22%5D`,
    ],
    [{}, { path: '/o', query: { l: '{{input.empty}}' } }, `${at}/o`],
    [{}, { path: '/o', query: { 'a b': '1 + {{input.id}}' } }, `${at}/o?a%20b=1%20%2B%20x%20y`],
  ])('%j %j', (ofSettings, ofHandler, expected) => {
    expect(build(ofHandler, ofSettings).url).toBe(expected)
  })

  test.each(['/../../admin', '/%2e%2e/admin', '//evil.example/x', '/a/../../../x'])(
    'never leaves the Connection: %s',
    (path) => {
      try {
        const { url } = build({ path })
        expect(url).toStartWith('https://api.example.com/v1/')
      } catch (error) {
        expect(error).toBeInstanceOf(OperationFailure)
      }
    },
  )
})

describe('headers', () => {
  test('are those of the Connection, then those of the operation, in lower case', () => {
    const { headers } = build(
      { headers: { 'X-Shop': 'two', 'X-Id': '{{input.id}}', 'X-None': '{{input.none}}', Accept: 'text/csv' } },
      { headers: { 'x-shop': 'one', 'X-Other': 'three' } },
    )
    expect(headers).toEqual({ 'x-shop': 'two', 'x-id': 'x y', 'x-other': 'three', accept: 'text/csv' })
  })

  test('reject line breaks', () => {
    expect(() => build({ headers: { 'X-Id': 'a {{input.bad}}' } })).toThrow('line break')
  })

  test.each([
    ['bearer', {}, 's3cret', 'authorization', 'Bearer s3cret'],
    ['basic', {}, 'user:pässword', 'authorization', `Basic ${Buffer.from('user:pässword').toString('base64')}`],
    ['header', { headerName: 'X-Api-Key' }, 's3cret', 'x-api-key', 's3cret'],
  ])('authenticate by %s, whatever the operation sets', (auth, more, secret, name, value) => {
    const { headers } = build({ headers: { [name]: 'mine' } }, { auth, ...more }, secret)
    expect(headers[name]).toBe(value)
  })

  test('contain no credential if the settings do not say how to send it', () => {
    expect(JSON.stringify(build({}, {}, 's3cret'))).not.toContain('s3cret')
  })

  test.each([
    ['no credential', 'bearer', null],
    ['a line break', 'bearer', 'two\nlines'],
    ['no colon', 'basic', 'two'],
  ])('fail closed with %s', (_what, auth, secret) => {
    expect(() => build({}, { auth }, secret)).toThrow(OperationFailure)
    try {
      build({}, { auth }, secret)
    } catch (error) {
      expect((error as OperationFailure).code).toBe('binding_unavailable')
      expect((error as OperationFailure).message).not.toContain('two')
    }
  })
})

describe('the body', () => {
  test('is JSON with values of their types', () => {
    const { body, headers } = build({
      method: 'POST',
      body: { id: '{{input.id}}', list: '{{input.list}}', key: '{{variables.KEY}}' },
    })
    expect(JSON.parse(body ?? '')).toEqual({ id: 'x y', list: ['a'], key: 'k' })
    expect(headers['content-type']).toBe('application/json')
  })

  const form = 'application/x-www-form-urlencoded'
  const nested = { id: '{{input.id}}', list: ['{{input.id}}', 2], where: { a: 1 }, none: '{{input.none}}', no: null }
  test.each<[string, unknown, string | undefined]>([
    [form, nested, 'id=x+y&list=x+y&list=2&where=%7B%22a%22%3A1%7D'],
    [`${form}; charset=utf-8`, { list: '{{input.list}}' }, 'list=a'],
    [form.toUpperCase(), 'a={{input.id}}&b={{input.evil}}', 'a=x%20y&b=1%26admin%3D1'],
    [form, '{{input.none}}', undefined],
    [form, '{{input.whole}}', 'a=1&b=2'],
    ['text/plain', 'Hello {{input.id}}', 'Hello x y'],
    ['text/plain', '{{input.id}}', 'x y'],
    ['application/xml', '<id>{{input.id}}</id>', '<id>x y</id>'],
    ['text/csv', '{{input.list}}', '["a"]'],
    ['text/plain', { a: '{{input.id}}' }, '{"a":"x y"}'],
    ['application/json', '{{input.id}}', '"x y"'],
    ['application/merge-patch+json', { a: '{{input.list}}' }, '{"a":["a"]}'],
  ])('is serialized by the Content-Type: %s, %j', (type, body, expected) => {
    const input = { ...values.input, evil: '1&admin=1', whole: { a: 1, b: [2] } }
    const inHandler = handler({ method: 'POST', headers: { 'Content-Type': type }, body })
    const sent = requestOf(inHandler, settings(), null, { ...values, input })
    expect(sent.body).toBe(expected)
    expect(sent.headers['content-type']).toBe(type)
    const inConnection = settings({ headers: { 'content-type': type } })
    expect(requestOf(handler({ method: 'PUT', body }), inConnection, null, { ...values, input }).body).toBe(expected)
  })

  test.each([
    ['multipart/form-data', {}, 'cannot be sent as multipart/form-data: set the header Content-Type'],
    [form, ['a'], 'must be an object of fields'],
    [form, 7, 'must be an object of fields'],
  ])('that cannot be serialized fails with an explanation: %s, %j', (type, body, message) => {
    expect(() => build({ method: 'POST', headers: { 'Content-Type': type }, body })).toThrow(message)
  })

  test('is omitted if there is none', () => {
    expect(build({ method: 'POST' }).body).toBeUndefined()
    expect(build({ method: 'POST', body: '{{input.none}}' }).body).toBeUndefined()
  })
})

test('a list of very many items is serialized in linear time, or rejected', () => {
  const input = { many: Array.from({ length: 100_000 }, () => 1) }
  const build = (changes: object) => requestOf(handler(changes), settings(), null, { ...values, input })
  expect(() => build({ query: { q: '{{input.many}}' } })).toThrow('more than 2,048 characters')
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const short = { method: 'POST', headers: type, body: { q: '{{input.many}}' } }
  expect(build(short).body!.length).toBeGreaterThan(390_000)
  const long = { method: 'POST', headers: type, body: { [`long-${'x'.repeat(50)}`]: '{{input.many}}' } }
  expect(() => build(long)).toThrow('larger than 1,048,576 bytes')
})
