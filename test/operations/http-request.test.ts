import { describe, expect, test } from 'bun:test'
import type { HttpSettings } from '../../src/connections/settings-schema.ts'
import { OperationFailure } from '../../src/operations/failure.ts'
import { type HttpHandler, requestOf } from '../../src/operations/http-request.ts'

const values = {
  input: { id: 'x y', list: ['a'], bad: 'a\r\nX-Evil: 1', up: '../admin' },
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

describe('the address', () => {
  test.each([
    [{}, { path: '/orders' }, 'https://api.example.com/v1/orders'],
    [{ baseUrl: 'https://api.example.com' }, { path: '/orders' }, 'https://api.example.com/orders'],
    [{ baseUrl: 'https://api.example.com/v1/' }, { path: '/' }, 'https://api.example.com/v1/'],
    [{}, { path: '/o/{{input.up}}' }, 'https://api.example.com/v1/o/..%2Fadmin'],
    [
      {},
      { path: '/o?a=1', query: { q: '{{input.id}}', none: '{{input.none}}', k: 'a&b' } },
      'https://api.example.com/v1/o?a=1&q=x+y&k=a%26b',
    ],
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

  test('take no line break', () => {
    expect(() => build({ headers: { 'X-Id': 'a {{input.bad}}' } })).toThrow('line break')
  })

  test.each([
    ['bearer', {}, 's3cret', 'authorization', 'Bearer s3cret'],
    ['basic', {}, 'user:pässword', 'authorization', `Basic ${Buffer.from('user:pässword').toString('base64')}`],
    ['header', { headerName: 'X-Api-Key' }, 's3cret', 'x-api-key', 's3cret'],
  ])('authenticate by %s, whatever the operation says', (auth, more, secret, name, value) => {
    const { headers } = build({ headers: { [name]: 'mine' } }, { auth, ...more }, secret)
    expect(headers[name]).toBe(value)
  })

  test('hold no credential where the settings do not say how to send it', () => {
    expect(JSON.stringify(build({}, {}, 's3cret'))).not.toContain('s3cret')
  })

  test.each([
    ['no credential', null],
    ['a line break', 'two\nlines'],
  ])('fail closed with %s', (_what, secret) => {
    expect(() => build({}, { auth: 'bearer' }, secret)).toThrow(OperationFailure)
    try {
      build({}, { auth: 'bearer' }, secret)
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

  test('is left out where there is none', () => {
    expect(build({ method: 'POST' }).body).toBeUndefined()
    expect(build({ method: 'POST', body: '{{input.none}}' }).body).toBeUndefined()
  })
})
