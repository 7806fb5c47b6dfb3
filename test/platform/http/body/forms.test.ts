/** Requirement 4.14, "Start a run": forms are parsed while they arrive, and refused at the first excess. */
import { expect, test } from 'bun:test'
import { FormReader, fieldBytesMax, fieldsMax, filesMax } from '../../../../src/platform/http/body/form.ts'
import { api } from '../../../support/client.ts'
import { allKey, testApp } from '../fixture.ts'

const { app } = testApp()
const client = api(app, allKey)
const boundary = 'the-boundary'
const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const open = `--${boundary}\r\n`
const close = `--${boundary}--\r\n`
const part = (disposition: string, body = 'x', more = '') =>
  `${open}Content-Disposition: form-data; ${disposition}\r\n${more}\r\n${body}\r\n`
const name = part('name="name"', 'n')
const file = (filename: string, body = 'x', more = '') => part(`name="files"; filename="${filename}"`, body, more)
const post = (body: string | Uint8Array | ReadableStream) => client.call('POST', '/api/v1/form', body, { headers })

const fine: [string, string, string[]][] = [
  ['a preamble and an epilogue', `some words\r\n${name}${file('a')}${close}more words`, ['a: x']],
  ['no line break after the end', `${name}${file('a')}--${boundary}--`, ['a: x']],
  ['an empty file', `${name}${file('a', '')}${close}`, ['a: ']],
  [
    'a file that looks like a boundary',
    `${name}${file('a', `\r\n--${boundary.slice(0, -1)}\r\n`)}${close}`,
    [`a: \r\n--${boundary.slice(0, -1)}\r\n`],
  ],
  ['a name with a quote, as browsers write it', `${name}${file('a%22b')}${close}`, ['a"b: x']],
  ['a name with a quote, as curl writes it', `${name}${file('a\\"b')}${close}`, ['a"b: x']],
  ['a name beyond ASCII', `${name}${file('naïve.txt')}${close}`, ['naïve.txt: x']],
  ['an extended name', `${name}${part("name=files; filename*=UTF-8''na%C3%AFve.txt")}${close}`, ['naïve.txt: x']],
  ['a file without a file name', `${name}${file('')}${close}`, [': x']],
  ['parameters in another order and case', `${name}${part('FILENAME="a"; Name="files"')}${close}`, ['a: x']],
]
test.each(fine)('200: %s', async (_, body, texts) => {
  const { status, body: answer } = await post(body)
  expect(status).toBe(200)
  expect(answer.data).toEqual({ name: 'n', size: null, texts })
})

const malformed: [string, string | Uint8Array][] = [
  ['no part and no end', 'words'],
  ['no last boundary', name],
  ['a truncated last boundary', `${name}--${boundary}-`],
  ['a part without headers', `${name}${open}\r\nx\r\n${close}`],
  ['a part that ends within its headers', `${name}${open}Content-Disposition: form-data; name="files"\r\n${close}`],
  ['only boundaries', open.repeat(50) + close],
  ['a part without a disposition', `${name}${open}Content-Type: text/plain\r\n\r\nx\r\n${close}`],
  ['a disposition of another kind', `${name}${open}Content-Disposition: attachment; name="files"\r\n\r\nx\r\n${close}`],
  ['a part without a name', `${name}${part('filename="a"')}${close}`],
  ['an empty name', `${name}${part('name=""')}${close}`],
  ['two names', `${name}${part('name="files"; name="name"; filename="a"')}${close}`],
  ['two file names', `${name}${part('name="files"; filename="a"; filename*=UTF-8\'\'b')}${close}`],
  [
    'two dispositions',
    `${name}${part('name="files"; filename="a"', 'x', 'Content-Disposition: form-data; name="b"\r\n')}${close}`,
  ],
  ['an unterminated name', `${name}${part('name="files')}${close}`],
  ['a very long name', `${name}${part(`name="${'n'.repeat(201)}"`)}${close}`],
  [
    'an endless header',
    `${name}${open}Content-Disposition: form-data; name="files"; filename="${'a'.repeat(100_000)}"\r\n\r\nx\r\n${close}`,
  ],
  ['a nested form', `${name}${part('name="files"', 'x', 'Content-Type: multipart/mixed; boundary=y\r\n')}${close}`],
  ['base64', `${name}${file('a', 'eA==', 'Content-Transfer-Encoding: base64\r\n')}${close}`],
  ['text that is not UTF-8', Buffer.from(`${part('name="name"', '\xff')}${close}`, 'latin1')],
  ['a name that is not UTF-8', Buffer.from(`${name}${file('\xff')}${close}`, 'latin1')],
]
test.each(malformed)('400: %s', async (_, body) => {
  const { status, body: answer } = await post(body)
  expect(status).toBe(400)
  expect(answer.error).toMatchObject({ code: 'malformed_request', message: expect.any(String) })
  expect((await client.get('/healthz')).status).toBe(200)
})

const invalid: [string, string, string][] = [
  ['more files than a run accepts', name + file('a').repeat(filesMax + 1) + close, '/body/files'],
  ['more fields than exist', part('name="size"').repeat(fieldsMax + 1) + close, '/body'],
  ['100,000 tiny parts', name + file('a').repeat(100_000) + close, '/body/files'],
  ['a field twice', name + name + close, '/body/name'],
  ['a text field sent as a file', part('name="name"; filename="a"') + file('a') + close, '/body/name'],
  ['a file sent as a text field', name + part('name="files"') + close, '/body/files'],
  ['an unknown field', name + file('a') + part('name="__proto__"') + close, '/body/__proto__'],
]
test.each(invalid)('422: %s', async (_, body, path) => {
  const { status, body: answer } = await post(body)
  expect(status).toBe(422)
  expect(answer.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
})

test('text above 1 MiB must be sent as a file', async () => {
  const reader = new FormReader(headers['content-type'])
  const refusal = await reader
    .write(new Uint8Array(Buffer.from(part('name="query"', 'x'.repeat(fieldBytesMax + 1)))))
    .catch((error) => error)
  expect(refusal).toMatchObject({ status: 422, details: { issues: [{ path: '/body/query' }] } })
})

test('an excess is refused while it is read, and the rest is not read', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(Buffer.from(file('a')))
    },
  })
  const { status } = await post(endless)
  expect(status).toBe(422)
  expect(sent).toBeLessThan(10 * filesMax)
})

test('a client that disconnects in the middle is a bad request, not an error of the server', async () => {
  const { app: other, lines } = testApp({ level: 'debug' })
  const broken = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(name + file('a').slice(0, 30)))
      controller.error(new Error('gone'))
    },
  })
  const answer = await api(other, allKey).call('POST', '/api/v1/form', broken, { headers })
  expect(answer.status).toBe(400)
  expect(answer.body.error.message).toBe('The body broke off before its end.')
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('a form is the same however its bytes are split', async () => {
  const whole = Buffer.from(`${name}${file('a', '\r\n--the-\r\n\r\n--')}${part('name="size"', '3')}${close}`)
  const read = async (cut: number) => {
    const reader = new FormReader(headers['content-type'])
    for (let at = 0; at < whole.length; at += cut) await reader.write(new Uint8Array(whole.subarray(at, at + cut)))
    const form = await reader.end()
    return Promise.all(form.map(async ([key, value]) => [key, typeof value === 'string' ? value : await value.text()]))
  }
  for (const cut of [1, 2, 3, 7, 64, 1000]) {
    expect(await read(cut)).toEqual([
      ['name', 'n'],
      ['files', '\r\n--the-\r\n\r\n--'],
      ['size', '3'],
    ])
  }
})

test('other requests are served while a large form is parsed', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const reader = new FormReader(headers['content-type'])
  await reader.write(new Uint8Array(Buffer.from(name + file('a', 'x'.repeat(4 * 1024 * 1024)) + close)))
  isOver = true
  expect((await reader.end()).length).toBe(2)
  expect(turns).toBeGreaterThan(100)
})
