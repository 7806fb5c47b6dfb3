/**
 * Signing secrets are shown once, and receivers' answers are shown to nobody. Source: requirement 5.9, 6.2; trust 3.3,
 * case 38.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openWorld, receiver, type World } from './world.ts'

let world: World
/** All answers, except the two that show a secret. */
const answers: string[] = []
const secrets: string[] = []
/** Text that only the receiver sends. */
const answered = 'hunter2-said-the-receiver'

beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '5' }, logLevel: 'debug' })
  const { owner, path } = world
  const ask = async (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await owner.call(method, at, body, { headers })
    answers.push(JSON.stringify([reply.status, [...reply.headers], reply.body]))
    return reply
  }
  const at = receiver(() => new Response(answered, { status: 500, headers: { 'x-told': answered } }))
  // an Idempotency-Key, which these operations do not support, must not make them store their answers
  const key = { 'idempotency-key': 'again' }
  const created = await owner.post(
    `${path}/webhooks`,
    { endpointUrl: at.url, eventTypes: ['deployment.queued'] },
    { headers: key },
  )
  const { id, signingSecret } = created.body.data
  secrets.push(signingSecret)
  secrets.push(
    (await owner.post(`${path}/webhooks/${id}/secrets`, undefined, { headers: key })).body.data.signingSecret,
  )
  await world.place.emit()
  const [delivery] = await world.settled(id, 1, 'dead-letter')
  await ask('GET', `${path}/webhooks`)
  await ask('GET', `${path}/webhooks/${id}`)
  await ask('PATCH', `${path}/webhooks/${id}`, { eventTypes: ['deployment.queued', 'run.created'] })
  await ask('GET', `${path}/webhooks/${id}/deliveries`)
  await ask('GET', `/api/v1/actors/delivery/${delivery.deliveryId}`)
  await ask('POST', `${path}/webhooks/${id}/deliveries/${delivery.deliveryId}/replays`, undefined, key)
  await ask('POST', `${path}/webhooks/${id}/deliveries/${delivery.deliveryId}/retry`)
  await world.settled(id, 2, 'dead-letter')
  await ask('GET', `${path}/events`)
  await ask('GET', '/api/v1/organizations/default/audit-events', undefined)
  await ask('DELETE', `${path}/webhooks/${id}`)
})
afterAll(() => world?.stop())

/** The secret, encodings of it, and the key that it contains. */
const forms = (): string[] =>
  [answered, ...secrets, ...secrets.map((secret) => secret.slice('whsec_'.length))].flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret, 'base64').toString('hex'),
  ])
function expectNone(text: string) {
  for (const form of forms()) expect(text.includes(form) && form).toBe(false)
}

test('two secrets were shown, and no other answer contains one', () => {
  expect(secrets.map((secret) => secret.startsWith('whsec_'))).toEqual([true, true])
  expect(answers.join('\n')).toContain('dead-letter')
  expectNone(answers.join('\n'))
})

test('no table contains one: neither the records, nor the audit log, the idempotency records or the journal', () => {
  const database = new Database(world.troupe.file, { readonly: true })
  const tables = database.query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`).all()
  const rows = tables.map(({ name }) => `${name}: ${JSON.stringify(database.query(`select * from "${name}"`).all())}`)
  database.close()
  const text = rows.join('\n')
  expect(text).toContain('rotateWebhookSecret')
  expectNone(text)
})

test('no file next to the store contains one', async () => {
  const folder = dirname(world.troupe.file)
  for (const name of await readdir(folder)) expectNone((await readFile(join(folder, name))).toString('latin1'))
})

test('no line of the log contains one', () => {
  const text = world.troupe.lines.map((line) => JSON.stringify(line)).join('\n')
  expect(text).toContain('webhooks')
  expectNone(text)
})
