/** Client secrets are sent to the provider only. Source: requirement 4.8, rule 7, 5.9; design 6. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refusing } from './provider.ts'
import { base, openWorld, type World } from './world.ts'

let world: World
/** Everything that was returned, headers included. */
const answers: string[] = []
const word = (name: string) => `hunter2-${name}`
const secrets = ['registered', 'refused', 'unavailable', 'unknown-field', 'malformed', 'rotated', 'not-rotated'].map(
  word,
)

beforeAll(async () => {
  world = await openWorld({ logLevel: 'debug' })
  const { provider, troupe } = world
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await troupe.owner.call(method, path, body, { headers })
    answers.push(JSON.stringify([reply.status, [...reply.headers], reply.body]))
    return reply
  }
  const registration = (clientSecret: string) => ({ presetKey: 'acme', clientId: 'client', clientSecret })
  // a provider that echoes the request
  provider.answers(({ headers }) =>
    Response.json({ error: 'invalid_client', hint: headers.authorization }, { status: 401 }),
  )
  await ask('POST', base, registration(word('refused')))
  provider.answers(({ headers }) => Response.json({ error: headers.authorization }, { status: 400 }))
  await ask('POST', base, registration(word('refused')))
  provider.answers(refusing('invalid_grant', 503))
  await ask('POST', base, registration(word('unavailable')))
  await ask('POST', base, { ...registration(word('unknown-field')), more: word('unknown-field') })
  await ask('POST', base, `{"clientSecret": "${word('malformed')}"`, { 'content-type': 'application/json' })

  provider.answers(refusing('invalid_grant'))
  const { id } = (await ask('POST', base, registration(word('registered')))).body.data
  await ask('PATCH', `${base}/${id}`, { clientSecret: word('rotated') })
  provider.answers(({ headers }) => Response.json({ error: headers.authorization }, { status: 400 }))
  await ask('PATCH', `${base}/${id}`, { clientSecret: word('not-rotated') })
  await ask('POST', `${base}/${id}/verify`)
  for (const path of [base, `${base}/${id}`, '/api/v1/organizations/default/audit-events']) await ask('GET', path)
  for (const path of ['', '/verify']) await ask('GET', `/api/v1/actors/integration/${id}${path}`)
})
afterAll(() => world?.stop())

/** The secret as it is, and in the encodings in which it could leak. */
const forms = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(`client:${secret}`).toString('base64'),
  Buffer.from(secret).toString('hex'),
]
const found = (text: string) => secrets.filter((secret) => forms(secret).some((form) => text.includes(form)))

test('the provider received the secrets', () => {
  const sent = world.provider.asked.map(({ headers }) => atob((headers.authorization ?? '').slice('Basic '.length)))
  expect(sent).toContain(`client:${word('rotated')}`)
  expect(sent).toContain(`client:${word('not-rotated')}`)
})

test('no response contains a secret', () => {
  expect(answers.length).toBeGreaterThan(10)
  expect(found(answers.join('\n'))).toEqual([])
})

test('no line of the log contains a secret', () => {
  expect(world.troupe.lines.length).toBeGreaterThan(0)
  expect(found(JSON.stringify(world.troupe.lines))).toEqual([])
})

test('no file of the store contains a secret', async () => {
  const folder = dirname(world.troupe.file)
  const files = await readdir(folder)
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) expect(found(await readFile(join(folder, file), 'latin1'))).toEqual([])
})

test('no code and no verifier is sent twice', () => {
  for (const part of ['code', 'code_verifier']) {
    const sent = world.provider.asked.map(({ form }) => form[part])
    expect(new Set(sent).size).toBe(sent.length)
  }
})
