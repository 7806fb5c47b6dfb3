/** Writing the history of Environments. Source: requirement 6; contract 7, `Event`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recordEvent } from '../../../src/events/history/record.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const raw = (sql: string, ...parameters: unknown[]): Write => ({ sql, parameters })

/** The place of an event in the tree. */
async function plant() {
  const [organizationId, projectId, environmentId] = [newId('org'), newId('prj'), newId('env')]
  await store.commit([
    raw(
      `insert into organizations (id, slug, name, kind, status, created_at, updated_at) values (?, ?, '', 'team', 'active', 0, 0)`,
      organizationId,
      organizationId,
    ),
    raw(
      `insert into projects (id, organization_id, slug, name, status, created_at, updated_at) values (?, ?, 'p', '', 'active', 0, 0)`,
      projectId,
      organizationId,
    ),
    raw(
      `insert into environments (id, organization_id, project_id, kind, name, state, version, machine_version, context, generation,
        head_revision_id, head_number, created_at, updated_at)
       values (?, ?, ?, 'preview', '', 'active', 1, '1', '{}', 0, 'cfr_', 0, 0, 0)`,
      environmentId,
      organizationId,
      projectId,
    ),
  ])
  return { organizationId, projectId, environmentId }
}
type Place = Awaited<ReturnType<typeof plant>>

const at = Date.UTC(2026, 0, 31, 12)
const event = (place: Place, data: Record<string, unknown> = {}) =>
  recordEvent(store, {
    ...place,
    type: 'deployment.ready',
    subject: { type: 'deployment', id: 'dep_1' },
    actor: { type: 'system', id: 'troupe' },
    data,
    at,
  })
const history = ({ environmentId }: Place) =>
  store.all<{ sequence: number; id: string; type: string; body: string; at: number }>({
    sql: 'select * from environment_events where environment_id = ? order by sequence',
    parameters: [environmentId],
  })

test('an event is stored as it is shown, with its number', async () => {
  const place = await plant()
  await store.commit(event(place, { state: 'ready "quoted"', nested: { ü: [1, null] } }))
  const [row] = await history(place)
  expect(row).toMatchObject({ sequence: 1, type: 'deployment.ready', at })
  expect(JSON.parse(row?.body ?? '')).toEqual({
    id: row?.id,
    type: 'deployment.ready',
    timestamp: '2026-01-31T12:00:00.000Z',
    sequence: 1,
    organizationId: place.organizationId,
    projectId: place.projectId,
    environmentId: place.environmentId,
    subject: { type: 'deployment', id: 'dep_1' },
    actor: { type: 'system', id: 'troupe' },
    data: { state: 'ready "quoted"', nested: { ü: [1, null] } },
  })
})

test('200 concurrent events are numbered 1 to 200, without gaps or repeats, even if other commits fail', async () => {
  const [place, other] = [await plant(), await plant()]
  const failing: Write = { ...raw('update projects set name = name where id = ?', 'prj_nothing'), rows: 1 }
  const recordings = Array.from({ length: 200 }, (_, number) => store.commit(event(place, { number })))
  const failures = Array.from({ length: 50 }, () =>
    store.commit([...event(place), failing]).then(
      () => 'stored',
      (error: unknown) => error instanceof StaleWrite,
    ),
  )
  const others = Array.from({ length: 20 }, () => store.commit(event(other)))
  await Promise.all([...recordings, ...others])
  expect(await Promise.all(failures)).toEqual(Array(50).fill(true))
  const rows = await history(place)
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  expect(rows.every(({ body, sequence }) => JSON.parse(body).sequence === sequence)).toBe(true)
  expect(new Set(rows.map(({ body }) => JSON.parse(body).data.number)).size).toBe(200)
  expect((await history(other)).at(-1)?.sequence).toBe(20)
})

test('several events in one unit of work are numbered in their order', async () => {
  const place = await plant()
  await store.commit([...event(place, { n: 1 }), ...event(place, { n: 2 }), ...event(place, { n: 3 })])
  expect((await history(place)).map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 2, 3])
})

const kibibytes = (count: number) => 'x'.repeat(count * 1024)
const ids = { deploymentId: 'dep_1', from: null, to: 'ready', generation: 7 }
test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a long text', { ...ids, note: kibibytes(70) }, { ...ids, truncated: true }],
  ['a long list', { ...ids, agents: Array(9_000).fill('agt_1234') }, { ...ids, truncated: true }],
  ['characters of three bytes', { ...ids, note: '語'.repeat(22_000) }, { ...ids, truncated: true }],
  ['something nested', { ...ids, inner: { deep: kibibytes(70) } }, { ...ids, truncated: true }],
  [
    'too many small values',
    Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`name${n}`, n])),
    { truncated: true },
  ],
])('%s never fails the change: the ids remain, with a flag, within 64 KiB', async (_, data, expected) => {
  const place = await plant()
  await store.commit(event(place, data))
  const [row] = await history(place)
  expect(JSON.parse(row!.body)).toMatchObject({ sequence: 1, type: 'deployment.ready', data: expected })
  expect(Object.keys(JSON.parse(row!.body).data)).toEqual(Object.keys(expected))
  expect(Buffer.byteLength(row!.body)).toBeLessThanOrEqual(65_536)
})

test('an event that just fits is stored unchanged', async () => {
  const place = await plant()
  const data = { note: kibibytes(58) }
  await store.commit(event(place, data))
  const [row] = await history(place)
  expect(JSON.parse(row!.body).data).toEqual(data)
})
