/** Contract 0, "Refusals": counted, not stored one by one. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { openTroupe } from '../../support/troupe.ts'
import { openWorld, type Person, type World } from '../organizations/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const times = 50
const minuteMs = 60_000
const several = async (ask: () => Promise<Reply>, count = times) => {
  const statuses = new Set<number>()
  for (let asked = 0; asked < count; asked += 1) statuses.add((await ask()).status)
  return [...statuses]
}

describe('refusals of one credential, for one operation, within a minute', () => {
  let member: Person
  let owner: Person
  let path: string
  let organizationId: string
  const lines = async () => (await owner.client.get(`${path}/audit-events`, { query: { limit: 100 } })).body.data.items
  const stored = () => world.trail(organizationId)

  beforeAll(() => {
    const elsewhere = world.elsewhere()
    ;({ path, owner } = elsewhere)
    organizationId = elsewhere.id
    member = world.person('member', organizationId)
  })

  test('are one line with their count, visible at once', async () => {
    expect(await several(() => member.client.patch(path, { name: 'Mine' }))).toEqual([403])
    expect(await lines()).toMatchObject([
      { operation: 'updateOrganization', outcome: 'denied', actor: { id: member.keyId }, changed: [], count: times },
    ])
    await eventually('the line', () => stored().length === 1)
  })

  test('are stored at the end of the minute, and the next minute has its own line', async () => {
    world.clock.advance(minuteMs)
    await eventually('the count', () => stored()[0]?.count === times)
    expect(await several(() => member.client.patch(path, { name: 'Mine' }), 3)).toEqual([403])
    expect((await lines()).map(({ count }: { count: number }) => count)).toEqual([3, times])
  })

  test('are separate by operation, credential and answer', async () => {
    world.clock.advance(minuteMs)
    const before = (await lines()).length
    const colleague = world.person('member', organizationId)
    const unknown = 'usr_01h455vb4pex5vsknk084sn02q'
    await several(() => member.client.patch(path, { name: 'Mine' }), 2)
    world.clock.advance(1)
    await several(() => member.client.post(`${path}/user-groups`, { name: 'Mine' }), 3)
    world.clock.advance(1)
    await several(() => colleague.client.patch(path, { name: 'Mine' }), 4)
    world.clock.advance(1)
    await several(() => owner.client.delete(`${path}/members/${unknown}`), 5)
    world.clock.advance(1)
    await several(() => owner.client.delete(`${path}/members/${owner.id}`), 6)
    const found = (await lines()).slice(0, -before)
    const seen = found.map((line: Record<string, unknown>) => [line.operation, line.outcome, line.count])
    expect(seen.reverse()).toEqual([
      ['updateOrganization', 'denied', 2],
      ['createUserGroup', 'denied', 3],
      ['updateOrganization', 'denied', 4],
      ['removeMember', 'denied', 5],
      ['removeMember', 'failed', 6],
    ])
  })
})

describe('forbidden reads', () => {
  test('are one line for each credential, operation and minute', async () => {
    const { id, path, owner } = world.elsewhere()
    const member = world.person('member', id)
    expect(await several(() => member.client.get(`${path}/audit-events`))).toEqual([403])
    expect(await several(() => member.client.get(`${path}/audit-events`, { query: { limit: 1 } }), 2)).toEqual([403])
    const { body } = await owner.client.get(`${path}/audit-events`)
    expect(body.data.items).toMatchObject([
      {
        operation: 'listAuditEvents',
        resource: { type: 'organization', id },
        outcome: 'denied',
        actor: { id: member.keyId },
        changed: [],
        count: times + 2,
      },
    ])
  })

  test('are not recorded if the answer is 404, or if they are allowed', async () => {
    const { id, path, owner } = world.elsewhere()
    expect((await owner.client.get(`${path}/user-groups/ugr_01h455vb4pex5vsknk084sn02q`)).status).toBe(404)
    expect((await owner.client.get(path)).status).toBe(200)
    expect(world.trail(id)).toEqual([])
  })
})

describe('leave nothing in the store', () => {
  const invalid: [string, number, (path: string, client: Client) => Promise<Reply>][] = [
    ['unauthenticated requests', 401, (path) => world.as(null).patch(path, { name: 'Mine' })],
    ['requests with a wrong key', 401, (path) => world.as(`trp_${'x'.repeat(49)}`).patch(path, { name: 'Mine' })],
    ['invalid requests', 422, (path, client) => client.post(`${path}/members`, { role: 'king' })],
    [
      'malformed requests',
      400,
      (path, client) => client.call('PATCH', path, '{', { headers: { 'content-type': 'application/json' } }),
    ],
    ['unknown methods', 405, (path, client) => client.put(path, {})],
    ['bodies above the limit', 413, (path, client) => client.patch(path, { name: 'x'.repeat(1024 * 1024) })],
  ]
  test.each(invalid)('%s: %d', async (_, status, ask) => {
    const { path, id, owner } = world.elsewhere()
    const rows = () =>
      world.tenancy
        .all<{ name: string }>("select name from sqlite_master where type = 'table'")
        .map(({ name }) => [
          name,
          world.tenancy.all<{ count: number }>(`select count(*) as count from "${name}"`)[0]!.count,
        ])
    const before = rows()
    expect(await several(() => ask(path, owner.client), 20)).toEqual([status])
    // lines written in the background are there once this one is
    await owner.client.patch(path, { name: 'Renamed' })
    expect(world.trail(id)).toHaveLength(1)
    const differ = rows().filter(([name, count], index) => name !== before[index]![0] || count !== before[index]![1])
    expect(differ.map(([name]) => name)).toEqual(['audit_events'])
  })

  test('too many requests: 429', async () => {
    const troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '5' } })
    const path = '/api/v1/organizations/default'
    const statuses = await several(() => troupe.owner.patch(path, {}), 30)
    expect(statuses).toEqual([200, 429])
    const database = new Database(troupe.file, { readonly: true })
    await eventually('the lines', () => {
      const [row] = database.query<{ lines: number }, []>('select count(*) as lines from audit_events').all()
      return row?.lines === 5
    })
    database.close()
    await troupe.stop()
  })
})

test('counts are stored at a graceful stop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-refusals-'))
  const first = await openTroupe({ folder, environment: { TROUPE_RUNNER: 'none' } })
  const { body } = await first.owner.post('/api/v1/api-keys', { name: 'weak', operations: ['organizations:get'] })
  await several(() => first.as(body.data.secret).patch('/api/v1/organizations/default', { name: 'Mine' }), 7)
  await first.stop()
  const second = await openTroupe({ folder, environment: { TROUPE_RUNNER: 'none' } })
  const { body: log } = await second.owner.get('/api/v1/organizations/default/audit-events')
  expect(log.data.items[0]).toMatchObject({ operation: 'updateOrganization', outcome: 'denied', count: 7 })
  await second.stop()
  await rm(folder, { recursive: true })
})

test("every refusal is in the metrics, by the operation's family and status", async () => {
  const read = async (series: string) => {
    const { body } = await world.as(null).get('/metrics')
    const line = String(body)
      .split('\n')
      .find((each) => each.startsWith(`troupe_http_refusals_total{${series}}`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const series = 'operation="organizations",status="401"'
  const before = await read(series)
  await several(() => world.as(null).patch('/api/v1/organizations/default', {}), 7)
  expect(await read(series)).toBe(before + 7)
  const misses = await read('operation="unmatched",status="404"')
  for (let path = 0; path < 9; path += 1) await world.as(null).get(`/nowhere/${path}`)
  expect(await read('operation="unmatched",status="404"')).toBe(misses + 9)
})
