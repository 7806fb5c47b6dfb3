/** Bodies that are forms. Source: contract 0, "Unknown body fields". */
import { describe, expect, test } from 'bun:test'
import { api } from '../../../support/client.ts'
import { allKey, mebibyte, testApp } from '../fixture.ts'

const { app } = testApp()
const client = api(app, allKey)

describe('forms', () => {
  const form = (...fields: [string, string | File][]) => {
    const data = new FormData()
    for (const [name, value] of fields) data.append(name, value)
    return data
  }
  const file = (name: string, content = 'content') => new File([content], name, { type: 'text/plain' })

  test('JSON and a form reach the same handler', async () => {
    const asJson = await client.post('/api/v1/form', { name: 'x', size: 3 })
    expect(asJson.body.data).toEqual({ name: 'x', size: 3, texts: [] })
    const asForm = await client.post(
      '/api/v1/form',
      form(['name', ' x '], ['size', '3'], ['files', file('a.txt', 'A')], ['files', file('b.txt', 'B')]),
    )
    expect(asForm.body.data).toEqual({ name: 'x', size: 3, texts: ['a.txt: A', 'b.txt: B'] })
  })

  const refused: [string, FormData, number, string | undefined][] = [
    ['a missing field', form(['size', '1']), 422, '/body/name'],
    ['an unknown field', form(['name', 'x'], ['extra', '1']), 422, '/body/extra'],
    ['a field twice', form(['name', 'x'], ['name', 'y']), 422, '/body/name'],
    ['a string for a number', form(['name', 'x'], ['size', '1e1']), 422, '/body/size'],
    ['a file for a string', form(['name', file('a.txt')]), 422, '/body/name'],
    ['a string for a file', form(['name', 'x'], ['files', 'text']), 422, '/body/files'],
    [
      'too many files',
      form(['name', 'x'], ...Array.from({ length: 4 }, (): [string, File] => ['files', file('a')])),
      422,
      '/body/files',
    ],
    ['U+0000', form(['name', 'x\0']), 422, '/body/name'],
    ['__proto__', form(['name', 'x'], ['__proto__', 'y']), 422, '/body/__proto__'],
    ['a file above its limit', form(['name', 'x'], ['files', file('a', 'x'.repeat(mebibyte))]), 413, undefined],
  ]
  test.each(refused)('refuses %s', async (_, body, expected, path) => {
    const answer = await client.post('/api/v1/form', body)
    expect(answer.status).toBe(expected)
    if (path) expect(answer.body.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
  })

  const malformedForms: [string, string, string][] = [
    ['no boundary', 'multipart/form-data', '--x--'],
    ['another boundary', 'multipart/form-data; boundary=y', '--x\r\n\r\n--x--'],
    ['nothing', 'multipart/form-data; boundary=x', ''],
    [
      'an unfinished part',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nabc',
    ],
  ]
  test.each(malformedForms)('400: %s', async (_, contentType, body) => {
    const headers = { 'content-type': contentType }
    expect((await client.post('/api/v1/form', body, { headers })).status).toBe(400)
  })

  test('a route that accepts only JSON refuses a form', async () => {
    expect((await client.post('/api/v1/things', form(['name', 'x']))).status).toBe(400)
  })
})
