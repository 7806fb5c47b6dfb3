/** Tickets of embedded charts: for one actor, for a limited time, and with at most the issuer's permissions. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { EmbedTickets } from '../../../src/runtime/statecharts/embedding/tickets.ts'
import { EventReader } from './events.ts'
import { dataOf, openWorld, pathOf, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.endReader(false))
afterAll(() => world?.close())

const issue = async (id: string, body: object = {}, key = 'reader') =>
  world.post(pathOf(id, '/embed-tickets'), JSON.stringify(body), key)
const ticketOf = async (id: string, body: object = {}) => String((await dataOf(await issue(id, body))).ticket)
/** Without any credential except the ticket. */
const look = (id: string, ticket: string, what = 'machine', kind = 'ticket') =>
  fetch(`${world.url}/api/v1/embedded-actors/${kind}/${id}/${what}?ticket=${ticket}`)
const refusalOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  return [answer.status, error.code, error.message]
}
const unknown = [
  403,
  'invalid_ticket',
  'The ticket is not for this chart. Copy the whole address, or ask for a new ticket.',
]
const withdrawn = [
  403,
  'invalid_ticket',
  'The ticket of this chart is no longer valid: its issuer may no longer see the chart.',
]

describe('a ticket', () => {
  test('is an address for a frame, for an hour', async () => {
    const id = await world.ticket()
    const answer = await issue(id)
    expect(answer.status).toBe(201)
    const { url, ticket, expiresAt } = await dataOf(answer)
    expect(url).toBe(`http://console.example/embed/actors/ticket/${id}?ticket=${ticket}`)
    expect(Date.parse(String(expiresAt)) - world.clock.now()).toBe(3_600_000)
    // sealed: neither the actor nor the issuer is readable
    for (const part of String(ticket).split('.')) {
      expect(Buffer.from(part, 'base64url').toString('latin1')).not.toMatch(/ticket-|org_a|key_of/)
    }
  })

  test.each([
    [{ lifetimeSeconds: 59 }, 422],
    [{ lifetimeSeconds: 86_401 }, 422],
    [{ lifetimeSeconds: 1.5 }, 422],
    [{ lifetime: 60 }, 422],
    [{ lifetimeSeconds: 86_400 }, 201],
  ])('requested with %j: %d', async (body, status) => {
    expect((await issue(await world.ticket(), body)).status).toBe(status)
  })

  test.each([
    ['powerless', 403],
    ['foreigner', 404],
    ['nobody', 401],
  ])('%s gets none: %d', async (key, status) => {
    expect((await issue(await world.ticket(), {}, key)).status).toBe(status)
  })
})

describe('with a ticket', () => {
  test('the statechart and its moves are readable, without context and actors of the moves', async () => {
    const id = await world.ticket(...toOpen)
    const ticket = await ticketOf(id)
    expect(await dataOf(await look(id, ticket))).toMatchObject({ kind: 'ticket', version: '3' })
    const answer = await look(id, ticket, 'stream')
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    const reader = new EventReader(answer.body)
    const [snapshot] = await reader.take(1)
    expect(Object.keys(snapshot?.data ?? {})).toEqual(['address', 'machineVersion', 'state', 'journal'])
    const [first] = (snapshot?.data.journal ?? []) as object[]
    expect(Object.keys(first ?? {})).toEqual(['sequence', 'from', 'to', 'event', 'at'])
    await world.send(id, { type: 'park' })
    const [moved] = await reader.take(1)
    const at = new Date(world.clock.now()).toISOString()
    expect(moved?.data).toEqual({ sequence: 4, from: 'open', to: 'note', event: 'park', at })
    await reader.cancel()
  })

  test('that has expired nothing is readable, and a stream ends', async () => {
    const id = await world.ticket()
    const ticket = await ticketOf(id, { lifetimeSeconds: 60 })
    const { body } = await look(id, ticket, 'stream')
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    await reader.read()
    world.clock.advance(61_000)
    let text = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += new TextDecoder().decode(read.value)
    }
    expect(text).toContain('"reason":"revoked"')
    for (const what of ['machine', 'stream']) {
      const [status, code, message] = await refusalOf(await look(id, ticket, what))
      expect([status, code]).toEqual([403, 'invalid_ticket'])
      expect(message).toContain('has expired')
    }
  })

  test('whose issuer has lost the permission nothing is readable', async () => {
    const id = await world.ticket()
    const ticket = await ticketOf(id)
    world.endReader(true)
    for (const what of ['machine', 'stream']) expect(await refusalOf(await look(id, ticket, what))).toEqual(withdrawn)
  })

  test('another actor, another kind and a changed ticket show nothing', async () => {
    const [id, other] = [await world.ticket(), await world.ticket()]
    const ticket = await ticketOf(id)
    const [head = '', key = '', iv = '', text = '', tag = ''] = ticket.split('.')
    const flipped = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
    const plain = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const changed = [
      [head, key, iv, flipped, tag].join('.'),
      [plain, key, iv, text, tag].join('.'),
      `${plain}.${Buffer.from(JSON.stringify({ address: { kind: 'ticket', id } })).toString('base64url')}.`,
      'x',
      ticket.slice(0, -4),
    ]
    for (const what of ['machine', 'stream']) {
      expect(await refusalOf(await look(other, ticket, what))).toEqual(unknown)
      for (const wrong of changed) expect(await refusalOf(await look(id, wrong, what))).toEqual(unknown)
    }
    expect((await look(id, ticket, 'machine', 'run')).status).toBe(404)
    expect((await look(id, '')).status).toBe(422)
    expect((await look(id, 'x'.repeat(3_000))).status).toBe(422)
  })

  test('of another server nothing is readable', async () => {
    const id = await world.ticket()
    const others = new EmbedTickets({ clock: world.clock, key: new Uint8Array(32).fill(8) })
    const holder = {
      principal: { type: 'apiKey', id: 'key_of_org_a' },
      credentialId: 'key_of_org_a',
      organizationId: 'org_a',
    } as const
    const issued = { address: { kind: 'ticket', id }, holder, endsAt: world.clock.now() + 60_000 }
    expect(await refusalOf(await look(id, await others.issue(issued)))).toEqual(unknown)
    expect((await look(id, await world.tickets.issue(issued))).status).toBe(200)
    // a user of another organization can issue one only for their own actors
    const foreign = { ...issued, holder: { ...holder, credentialId: 'key_of_org_b', organizationId: 'org_b' } }
    expect(await refusalOf(await look(id, await world.tickets.issue(foreign)))).toEqual(withdrawn)
  })
})
