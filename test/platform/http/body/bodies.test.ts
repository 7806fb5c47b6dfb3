/** Contract 0: bodies are JSON, parsed strictly; 400 malformed, 413 too large, 422 invalid. */
import { describe, expect, test } from 'bun:test'
import { api } from '../../../support/client.ts'
import { allKey, mebibyte, testApp, thingId } from '../fixture.ts'

const { app } = testApp()
const client = api(app, allKey)
const json = { 'content-type': 'application/json' }
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const nested = (depth: number, open = '[', close = ']') =>
  `{"name":"x","metadata":{"a":${open.repeat(depth - 2)}${close.repeat(depth - 2)}}}`

const malformedBodies: [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['white space', '  '],
  ['an open brace', '{'],
  ['two values', '{} {}'],
  ['a trailing comma', '{"name":"x",}'],
  ['single quotes', "{'name':'x'}"],
  ['a comment', '{"name":"x"/**/}'],
  ['NaN', '{"name":NaN}'],
  ['a control character in a string', '{"name":"a\u0001b"}'],
  ['an unfinished string', '{"name":"x'],
  ['an unfinished escape', '{"name":"\\u12"}'],
  ['a lone backslash at the end', '{"name":"\\'],
  ['a byte that is not UTF-8', bytes('{"name":"', [0xff], '"}')],
  ['an overlong encoding', bytes('{"name":"', [0xc0, 0xaf], '"}')],
  ['a raw surrogate in UTF-8', bytes('{"name":"', [0xed, 0xa0, 0x80], '"}')],
  ['UTF-16', bytes([0xff, 0xfe], '{\0}\0')],
  ['a key twice', '{"name":"x","name":"y"}'],
  ['a key twice, once escaped', '{"name":"x","n\\u0061me":"y"}'],
  ['a key twice, deep inside', '{"name":"x","metadata":{"a":[1,{"b":1,"c":2,"b":3}]}}'],
  ['a key twice after a nested object', '{"name":"x","nested":{"deep":"a"},"name":"y"}'],
  ['__proto__ twice', '{"name":"x","metadata":{"__proto__":1,"__proto__":2}}'],
  ['arrays of depth 33', nested(33)],
  ['objects of depth 33', nested(33, '{"a":', '}').replace(':}', ':1}')],
  ['endless nesting', '['.repeat(500_000)],
  ['more than 100,000 values', `{"name":"x","metadata":{"a":[${'0,'.repeat(100_000)}0]}}`],
  ['more than 100,000 objects', `{"name":"x","metadata":{"a":[${'{},'.repeat(60_000)}{}]}}`],
  ['endless backslashes', `{"name":"${'\\'.repeat(100_001)}"}`],
]
test.each(malformedBodies)('400: %s', async (_, body) => {
  const { status, body: answer } = await client.post('/api/v1/things', body, { headers: json })
  expect(status).toBe(400)
  expect(answer.error.code).toBe('malformed_request')
})

test.each([
  ['{"name":"x",}', 'line 1, column 13: Expected a name in double quotes.'],
  ['{\n  "name": "x"\n  "metadata": {}\n}', 'line 3, column 3: Expected a comma or }.'],
  ['{"name":tru}', 'line 1, column 9: Unexpected t.'],
  ['\ufeff{"name":"x"}', 'line 1, column 1: Unexpected U+FEFF.'],
  ['{"name":\u00a0"x"}', 'line 1, column 9: Unexpected U+00A0.'],
  ['{"name":\u001b[31m}', 'line 1, column 9: Unexpected U+001B.'],
  ['{"name":😀}', 'line 1, column 9: Unexpected 😀.'],
  ['{"name":"x"', 'line 1, column 12: Expected a comma or }.'],
  ['{', 'line 1, column 2: Expected a name in double quotes.'],
])('what is not JSON is shown with its place: %j', async (body, message) => {
  const { body: answer } = await client.post('/api/v1/things', body, { headers: json })
  expect(answer.error.message).toBe(`The body is not valid JSON at ${message}`)
})

const fineBodies: [string, string | Uint8Array, object][] = [
  ['depth 32', nested(32), {}],
  ['99,000 values', `{"name":"x","metadata":{"a":[${'0,'.repeat(99_000)}0]}}`, { name: 'x' }],
  [
    'the same key in two objects',
    '{"name":"x","metadata":{"a":{"k":1},"b":{"k":2}}}',
    { metadata: { a: { k: 1 }, b: { k: 2 } } },
  ],
  ['a value that looks like a key', '{"name":"state","metadata":{"a":"b","b":"a"}}', { name: 'state' }],
  ['brackets, colons and commas in strings', '{"name":"{[,:]}\\"{","metadata":{"a,":"}"}}', { name: '{[,:]}"{' }],
  ['escaped backslashes before a quote', '{"name":"a\\\\","metadata":{"name":1}}', { name: 'a\\' }],
  ['a pair of surrogates', '{"name":"\\ud83d\\ude00"}', { name: '😀' }],
  ['surrounding white space', ' \n{"name" : "x"} \t', { name: 'x' }],
  ['a name that is trimmed', '{"name":"  x  "}', { name: 'x' }],
]
test.each(fineBodies)('201: %s', async (_, body, expected) => {
  const { status, body: answer } = await client.post('/api/v1/things', body, { headers: json })
  expect(status).toBe(201)
  expect({ ...answer.data, ...expected }).toEqual(answer.data)
})

const invalidBodies: [string, unknown, string][] = [
  ['a missing field', {}, '/body/name'],
  ['an unknown field', { name: 'x', extra: 1 }, '/body/extra'],
  ['an unknown nested field', { name: 'x', nested: { other: 1 } }, '/body/nested/other'],
  ['a field of another type', { name: 1 }, '/body/name'],
  ['a number as a string', { name: 'x', size: '5' }, '/body/size'],
  ['a number with decimals', { name: 'x', size: 1.5 }, '/body/size'],
  ['a number too large', { name: 'x', size: 11 }, '/body/size'],
  ['a number beyond all bounds', '{"name":"x","metadata":{"a":1e999}}', '/body/metadata/a'],
  [
    'a number beyond all bounds by its digits and its exponent',
    `{"name":"x","metadata":{"a":1${'0'.repeat(250)}e99}}`,
    '/body/metadata/a',
  ],
  ['an unknown value of an enumeration', { name: 'x', state: 'sideways' }, '/body/state'],
  ['an empty name', { name: '' }, '/body/name'],
  ['a name of white space', { name: ' \t ' }, '/body/name'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, '/body/name'],
  ['a name with a control character', { name: 'a\u0007b' }, '/body/name'],
  ['a name with a line break', { name: 'a\nb' }, '/body/name'],
  ['a lone surrogate', '{"name":"\\ud800"}', '/body/name'],
  ['a lone low surrogate in free-form data', '{"name":"x","metadata":{"a":["\\udc00"]}}', '/body/metadata/a/0'],
  ['a lone surrogate in a key', '{"name":"x","metadata":{"\\ud800":1}}', '/body/metadata'],
  ['U+0000', '{"name":"x","nested":{"deep":"a\\u0000"}}', '/body/nested/deep'],
  ['U+0000 in free-form data', '{"name":"x","metadata":{"a":["b","\\u0000"]}}', '/body/metadata/a/1'],
  ['U+0000 below a name with a slash', '{"name":"x","metadata":{"a/b":"\\u0000"}}', '/body/metadata/a~1b'],
  ['U+0000 in a key', '{"name":"x","metadata":{"\\u0000":1}}', '/body/metadata'],
  ['__proto__ where nothing is free-form', '{"name":"x","__proto__":{"size":1}}', '/body/__proto__'],
  ['a list', '[]', '/body'],
  ['null', 'null', '/body'],
  ['a text', '"x"', '/body'],
]
test.each(invalidBodies)('422: %s', async (_, body, path) => {
  const { status, body: answer } = await client.post('/api/v1/things', body, { headers: json })
  expect(status).toBe(422)
  expect(answer.error.code).toBe('validation_failed')
  expect(answer.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
})

test('a name of 200 characters beyond the basic plane is accepted', async () => {
  expect((await client.post('/api/v1/things', { name: '😀'.repeat(200) })).status).toBe(201)
})

test('issues repeat no value, and are limited to 20', async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, 'hunter2-value']))
  const { body, status } = await client.post('/api/v1/things', { ...many, state: 'hunter2-value' })
  expect(status).toBe(422)
  expect(body.error.details.issues).toHaveLength(20)
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test('a body designed to be slow to validate is fast', async () => {
  const digits = `${'1'.repeat(299)} `.replace(' ', ',').repeat(3000)
  const { status } = await client.post('/api/v1/things', `{"name":"x","metadata":{"a":[${digits}1]}}`, {
    headers: json,
  })
  expect(status).toBe(201)
})

test('__proto__ in free-form data pollutes nothing', async () => {
  const body = '{"name":"x","metadata":{"__proto__":{"polluted":true}}}'
  const { status } = await client.post('/api/v1/things', body, { headers: json })
  expect(status).toBe(201)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

const contentTypes: [string | undefined, number][] = [
  ['application/json', 201],
  ['Application/JSON', 201],
  ['application/json; charset=utf-8', 201],
  ['application/json;charset="UTF-8"', 201],
  ['application/json; charset=latin1', 400],
  ['application/json-patch+json', 400],
  ['text/plain', 400],
  ['text/json', 400],
  ['application/x-www-form-urlencoded', 400],
  ['multipart/form-data; boundary=x', 400],
  ['nonsense', 400],
  [undefined, 400],
]
test.each(contentTypes)('content type %p: %d', async (contentType, expected) => {
  // a stream has no content type by default
  const stream = new Response('{"name":"x"}').body!
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType }
  const { status, body } = await client.post('/api/v1/things', stream, { headers })
  expect(status).toBe(expected)
  const given = contentType?.split(';', 1)[0]
  const charset = /charset/.test(contentType ?? '')
  if (status === 400 && !charset)
    expect(body.error.message).toEndWith(given ? `it is ${given}.` : 'the request has none.')
})

test('a compressed body is refused', async () => {
  const compressed = Bun.gzipSync('{"name":"x"}')
  const headers = { ...json, 'content-encoding': 'gzip' }
  expect((await client.post('/api/v1/things', compressed, { headers })).status).toBe(400)
})

describe('limits', () => {
  const sized = (size: number) => `{"name":"x"${' '.repeat(size - 12)}}`
  const rows: [string, string, number, number][] = [
    ['1 MiB by default', '/api/v1/things', mebibyte, 201],
    ['1 MiB by default', '/api/v1/things', mebibyte + 1, 413],
    ['100 bytes on this route', '/api/v1/small', 100, 200],
    ['100 bytes on this route', '/api/v1/small', 101, 413],
    ['2 MiB on this route', '/api/v1/form', 2 * mebibyte, 200],
    ['2 MiB on this route', '/api/v1/form', 2 * mebibyte + 1, 413],
  ]
  test.each(rows)('%s: %s with %d bytes: %d', async (_, path, size, expected) => {
    const { status, body } = await client.post(path, sized(size), { headers: json })
    expect(status).toBe(expected)
    if (expected === 413)
      expect(body.error).toMatchObject({ code: 'payload_too_large', details: { bytesMax: size - 1 } })
  })

  test('a chunked body is read no further than the limit', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1000
        controller.enqueue(new Uint8Array(1000).fill(32))
      },
    })
    expect((await client.post('/api/v1/small', endless, { headers: json })).status).toBe(413)
    expect(sent).toBeLessThan(100_000)
  })

  test('a false Content-Length does not circumvent the limit', async () => {
    const headers = { ...json, 'content-length': '200' }
    expect((await client.post('/api/v1/small', sized(50), { headers })).status).toBe(413)
  })
})

describe('an optional body', () => {
  const rows: [string, unknown, number, boolean | undefined][] = [
    ['nothing', undefined, 200, false],
    ['a body', { name: 'x' }, 200, true],
    ['an invalid body', { name: 1 }, 422, undefined],
    ['malformed JSON', '{', 400, undefined],
    ['an empty stream', new Response('').body, 200, false],
  ]
  test.each(rows)('%s', async (_, body, expected, given) => {
    const headers = body === undefined ? {} : json
    const answer = await client.post('/api/v1/optional', body, { headers })
    expect(answer.status).toBe(expected)
    if (given !== undefined) expect(answer.body.data.given).toBe(given)
  })
})

describe('a body of an operation without one', () => {
  const takers: [string, string][] = [
    ['POST', `/api/v1/things/${thingId}/poke`],
    ['DELETE', `/api/v1/things/${thingId}`],
    ['POST', '/api/v1/runner/leases'],
  ]
  const rows: [string, unknown, Record<string, string>, number, string?][] = [
    ['nothing', undefined, {}, 0],
    ['an empty body with the type JSON', '', json, 0],
    ['an empty stream', 'stream', {}, 0],
    ['{}', '{}', json, 0],
    ['{} with white space', ' { } ', json, 0],
    ['a field', '{"x":1}', json, 422, '/body/x'],
    ['a list', '[]', json, 422, '/body'],
    ['null', 'null', json, 422, '/body'],
    ['broken JSON', '{', json, 400],
    ['a key twice', '{"x":1,"x":1}', json, 400],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 400],
    ['a form', 'x=1', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['more than 1 MiB', ' '.repeat(mebibyte + 1), json, 413],
  ]
  const cases = takers.flatMap(([method, path]) =>
    rows.map(
      ([name, body, headers, refused, issue = null]) => [method, path, name, body, headers, refused, issue] as const,
    ),
  )
  test.each(cases)('%s %s with %s', async (method, path, _, body, headers, refused, issue) => {
    const given = body === 'stream' ? new Response('').body : body
    const key = path.includes('runner') ? 'runner' : allKey
    const { status, body: answer } = await client.call(method, path, given, { headers, key })
    if (refused === 0) expect(status).toBeLessThan(300)
    else expect(status).toBe(refused)
    if (issue) expect(answer.error.details.issues[0].path).toBe(issue)
  })

  test('errors of the body are shown only to authorized callers', async () => {
    const { status } = await client.delete(`/api/v1/things/${thingId}`, { key: null })
    expect(status).toBe(401)
    const broken = await client.call('DELETE', `/api/v1/things/${thingId}`, '{', { headers: json, key: null })
    expect(broken.status).toBe(401)
  })

  test('is read only up to the limit', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    const { status } = await client.call('DELETE', `/api/v1/things/${thingId}`, endless, { headers: json })
    expect(status).toBe(413)
    expect(sent).toBeLessThan(4 * mebibyte)
  })
})
