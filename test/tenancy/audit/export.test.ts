/** The audit log as a file: the filtered lines, of any number, while the reader has the permission. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data, expectError } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let path: string
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  path = `/api/v1/organizations/${world.ours}/audit-events`
  await data(world.owner.post('/api/v1/projects', { slug: 'shop', name: 'Shop' }))
  // a client chooses its request ids
  await world.owner.post(
    '/api/v1/projects',
    { slug: 'other', name: 'Other' },
    { headers: { 'x-request-id': '=1+1,"2"' } },
  )
})
afterAll(() => world?.stop())

const openStreams = async () => {
  const { body } = await world.owner.get('/metrics', { unchecked: true })
  return Number(/^troupe_open_streams (\d+)$/m.exec(body as string)?.[1])
}
type Line = { id: string; operation: string; requestId: string }
const list = async (query: Record<string, string>) =>
  (await data<{ items: Line[] }>(world.owner.get(path, { query: { limit: 100, ...query } }))).items
const file = async (query: Record<string, string>) => {
  const answer = await world.owner.raw('GET', `${path}/export`, undefined, { query })
  expect(answer.status).toBe(200)
  return { text: await answer.text(), headers: answer.headers }
}

test('JSON Lines are the lines of the list, in its order', async () => {
  const { text, headers } = await file({ format: 'jsonl' })
  expect(headers.get('content-type')).toBe('application/jsonl')
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.jsonl"')
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(await list({}))
})

test('a table has a heading, the filtered lines, and no formulas', async () => {
  const { text, headers } = await file({ format: 'csv', operation: 'createProject' })
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
  const [heading, ...rows] = text.trimEnd().split('\r\n')
  expect(heading?.split(',').slice(0, 3)).toEqual(['at', 'operation', 'outcome'])
  const lines = await list({ operation: 'createProject' })
  expect(rows.map((row) => row.split(',').at(-1))).toEqual(lines.map(({ id }) => id))
  expect(text).toContain(`,"'=1+1,""2""",client,`)
})

test('without matches: CSV has its header, JSON Lines are empty', async () => {
  const query = { operation: 'deleteOrganization' }
  expect((await file({ format: 'csv', ...query })).text.trimEnd().split('\r\n')).toHaveLength(1)
  expect((await file({ format: 'jsonl', ...query })).text).toBe('')
})

test.each([
  [{}, 'validation_failed'],
  [{ format: 'xml' }, 'validation_failed'],
  [{ format: 'csv', since: 'yesterday' }, 'validation_failed'],
  [{ format: 'csv', limit: '10' }, 'unknown_parameter'],
])('%j is refused', async (query, code) => {
  expectError(await world.owner.get(`${path}/export`, { query }), 422, code)
})

test('it has more lines than a page, and breaks off when its key is revoked', async () => {
  const many = 40_000
  world.rows(
    `with recursive lines(n) as (select 1 union all select n + 1 from lines where n < ${many})
     insert into audit_events (organization_id, id, actor_type, actor_id, ip, operation, resource_type, resource_id, outcome,
       request_id, request_id_from, changed, count, at)
     select ?, 'aud_' || cast(10000000 + n as text), 'user', 'usr_1', null, 'updateProject', 'project', 'prj_1', 'allowed',
       'a long id of a request, as clients choose them, so that all of it fits into no buffer', 'client', '[]', 1, n
     from lines`,
    world.ours,
  )
  const { text } = await file({ format: 'jsonl', operation: 'updateProject' })
  expect(text.trimEnd().split('\n')).toHaveLength(many)

  const { secret, id } = await data<{ id: string; secret: string }>(
    world.owner.post('/api/v1/api-keys', { name: 'Reader', operations: ['*'] }),
  )
  const answer = await world.owner.raw('GET', `${path}/export`, undefined, { query: { format: 'jsonl' }, key: secret })
  const reader = answer.body!.getReader()
  let read = (await reader.read()).value!.length
  await data(world.owner.post(`/api/v1/api-keys/${id}/revoke`))
  await eventually('the end of the stream', async () => (await openStreams()) === 0)
  const rest = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'whole'
      read += value.length
    }
  }
  expect(await rest().catch(() => 'broken off')).toBe('broken off')
  expect(read).toBeLessThan(text.length)
})
