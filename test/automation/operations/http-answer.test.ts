import { describe, expect, test } from 'bun:test'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'
import { answerBytesMax, readAnswer } from '../../../src/automation/operations/http-answer.ts'
import { Redaction } from '../../../src/automation/operations/redaction.ts'

const secret = 'pa"ss/w+ örd'
const redactions = { fromResults: new Redaction([secret], 8), fromMessages: new Redaction([secret, 'word'], 4) }

function read(
  body: string | Uint8Array,
  { status = 200, type, truncated = false }: { status?: number; type?: string; truncated?: boolean } = {},
) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
  return readAnswer(
    { status, headers, body: bytes, truncated, durationMs: 1 },
    { operation: 'shop.find', ...redactions },
  )
}

describe('a 2xx response', () => {
  test.each([
    ['{"a":1}', 'application/json', { a: 1 }],
    ['{"a":1}', undefined, { a: 1 }],
    ['[1]', 'text/plain;charset=utf-8', [1]],
    ['7', 'application/json; charset=utf-8', 7],
    ['7', 'application/problem+json', 7],
    ['7', 'text/plain', '7'],
    ['{broken', 'application/json', '{broken'],
    ['Hello', 'text/html', 'Hello'],
    ['', 'application/json', null],
    ['  ', undefined, null],
  ])('%j of %s is parsed as %j', (body, type, expected) => {
    expect(read(body, type === undefined ? {} : { type })).toEqual(expected as never)
  })

  const bytes = (...values: number[]) => new Uint8Array(values)
  test.each([
    ['text/plain', bytes(0x48, 0xff), 'H�'],
    ['text/plain; charset=iso-8859-1', bytes(0x48, 0xe9), 'Hé'],
    ['text/plain; charset="unheard-of"', bytes(0x48), 'H'],
    ['application/vnd.some; charset=latin1', bytes(0x48, 0xe9), 'Hé'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['application/x-unheard', 'plain', 'plain'],
  ])('of %s is decoded by its charset', (type, body, expected) => {
    expect(read(body, { type })).toBe(expected)
  })

  test.each([
    [undefined, bytes(0x48, 0xff), 'application/octet-stream'],
    [undefined, bytes(0x48, 0), 'application/octet-stream'],
    ['application/x-unheard', bytes(0xff), 'application/x-unheard'],
    ['Image/PNG; q=1', bytes(0x89, 0x50, 0x4e, 0x47), 'image/png'],
    ['application/pdf', '%PDF-1.7 only ASCII', 'application/pdf'],
    ['application/octet-stream', '{"a":1}', 'application/octet-stream'],
  ])('of %s that is not text is returned as bytes', (type, body, mediaType) => {
    expect(read(body, type === undefined ? {} : { type })).toEqual({
      mediaType,
      bytes: Buffer.from(body as string).toString('base64'),
    })
  })

  test('that is not text is cut to 64 KiB, and marked as cut', () => {
    const whole = new Uint8Array(65_536).fill(0xff)
    const size = (answer: unknown) => Buffer.from((answer as { bytes: string }).bytes, 'base64').length
    expect(size(read(whole))).toBe(65_536)
    expect(read(whole)).not.toHaveProperty('truncated')
    const more = read(new Uint8Array([...whole, 1]))
    expect(size(more)).toBe(65_536)
    expect(more).toMatchObject({ truncated: true })
  })

  test('that is not text does not return the credential either', () => {
    const { bytes: shown } = read(Buffer.from(`\0 got ${secret}.`)) as { bytes: string }
    expect(Buffer.from(shown, 'base64').toString()).toBe('\0 got [hidden].')
  })

  test('that is nested too deeply stays text', () => {
    const deep = '['.repeat(100_000)
    expect(read(deep)).toBe(deep)
    const closed = '['.repeat(65) + ']'.repeat(65)
    expect(read(closed)).toBe(closed)
    expect(read(`"${'['.repeat(100)}"`, { type: 'application/json' })).toBe('['.repeat(100))
  })

  test('that never ends a text is read once only', () => {
    const endless = `{"${'\\"'.repeat(500_000)}`
    expect(read(endless)).toBe(endless)
  })

  test('does not return the credential, in any encoding', () => {
    for (const spelling of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      expect(read(`got ${spelling}.`)).toBe('got [hidden].')
    }
    expect(read(JSON.stringify({ got: secret, a: 'word' }))).toEqual({ got: '[hidden]', a: 'word' })
  })

  test('does not return the credential, whatever its server escapes', () => {
    const signs = 'sk-a/b+c&d<é'
    const fromResults = new Redaction([signs], 8)
    const answer = (text: string, type = 'application/json') =>
      readAnswer(
        { status: 200, headers: { 'content-type': type }, body: Buffer.from(text), truncated: false, durationMs: 1 },
        { operation: 'shop.find', ...redactions, fromResults },
      )
    const escaped = signs.replace('/', '\\/').replace('+', '\\u002B').replace('é', '\\u00e9')
    expect(answer(`{"got":"${escaped}","n":1}`)).toEqual({ got: '[hidden]', n: 1 })
    expect(answer(JSON.stringify({ got: `{"in":"${escaped}"}` }))).toEqual({ got: '{"in":"[hidden]"}' })
    expect(answer(`{"${escaped}":true}`)).toEqual({ '[hidden]': true })
    expect(answer('<p>sk-a&#x2f;b&#43;c&amp;d&lt;é</p>', 'text/html')).toBe('<p>[hidden]</p>')
    expect(answer('k=sk-a%2fb%2bc%26d%3c%c3%a9&x', 'text/plain')).toBe('k=[hidden]&x')
  })

  test('stays JSON if a number in it is the credential', () => {
    const numeric = { fromResults: new Redaction(['12345678901234567890'], 8), fromMessages: redactions.fromMessages }
    const body = Buffer.from('{"id":12345678901234567890,"n":12}')
    const answer = { status: 200, headers: {}, body, truncated: false, durationMs: 1 }
    expect(readAnswer(answer, { operation: 'shop.find', ...numeric })).toEqual({ id: '[hidden]', n: 12 })
  })

  test('that is too large fails', () => {
    expect(() => read('x', { truncated: true })).toThrow(`more than ${answerBytesMax} bytes`)
  })
})

describe('any other response', () => {
  test.each([300, 304, 400, 404, 500, 599])('%i fails with the status', (status) => {
    expect(() => read('', { status })).toThrow(new OperationFailure('tool_error', `shop.find answered ${status}.`))
  })

  test('contains the beginning of the body: one line, bounded, without secrets', () => {
    const message = (body: string) => {
      try {
        read(body, { status: 400 })
      } catch (error) {
        return (error as Error).message
      }
      return undefined
    }
    expect(message('no\r\n\tsuch \u0007order\u202e!')).toBe('shop.find answered 400: no such order !')
    expect(message(`a word, ${secret}`)).toBe('shop.find answered 400: a [hidden], [hidden]')
    const escaped = JSON.stringify({ error: secret }).replace('/', '\\/')
    expect(message(escaped)).toBe('shop.find answered 400: {"error":"[hidden]"}')
    expect(message('x'.repeat(5_000))?.length).toBeLessThan(600)
    expect(message(`${'x'.repeat(495)}${secret}`)).not.toContain('pa"')
  })
})
