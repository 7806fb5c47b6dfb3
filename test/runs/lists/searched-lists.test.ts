/** Summaries in lists: how runs begin, their models, their tokens; and the search for them. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { assistant, callers, openWorld, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
/** Oldest first. */
const ids: string[] = []
const hour = 3_600_000
let began: number

const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')
const inputs = [
  { query: '  Where is my ORDER 4711?\nIt was sent a week ago.' },
  { query: `${'x'.repeat(199)}👋 order` },
  { query: 'Straße nach Österreich' },
  { query: undefined, contents: [{ type: 'image', mediaType: 'image/png', data: png }] },
  { query: undefined, contents: [{ type: 'text', text: 'An order in a text' }] },
]

beforeAll(async () => {
  world = await openWorld()
  began = world.clock.now()
  for (const input of inputs) {
    ids.push(await world.start(input))
    world.clock.advance(hour)
  }
})
afterAll(() => world?.close())

const list = async (query: Record<string, string | number | string[]>, client = world.owner) => {
  const { status, body } = await client.get(path, { query })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { found: body.agentRuns.map((run: { id: string }) => ids.indexOf(run.id)), ...body }
}
const refusal = async (query: Record<string, string>, client = world.owner) => {
  const { status, body } = await client.get(path, { query })
  return [status, body.error.code]
}

describe('the summary of a run', () => {
  test('shows its beginning, its model and its usage', async () => {
    const runId = ids[0] as string
    const root = await world.runner.begin(runId)
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 1, reasoningTokens: 2 }
    await world.runner.report(runId, {
      report: 'stepEnded',
      agentStepId: await world.runner.startStep(runId, { parent_agent_step_id: root }),
      ending: { status: 'completed', output: '"Hi"', error: null, token_usage: JSON.stringify(usage), execution: '{}' },
    })
    const { agentRuns } = await list({ include: 'summary' })
    expect(agentRuns.map(({ summary }: { summary: { query: string | null } }) => summary.query)).toEqual([
      'An order in a text',
      null,
      'Straße nach Österreich',
      `${'x'.repeat(199)}\ufffd`,
      'Where is my ORDER 4711?\nIt was sent a week ago.',
    ])
    expect(agentRuns.at(-1).summary).toMatchObject({ provider: 'sandbox', model: 'sandbox', tokenUsage: usage })
    expect(agentRuns[0].summary.tokenUsage.totalTokens).toBe(0)
  })

  test('is shown only on request, and contains no content for callers who may not read it', async () => {
    expect((await list({})).agentRuns[0].summary).toBeUndefined()
    const { agentRuns } = await list({ include: 'summary' }, world.wordless)
    expect(Object.keys(agentRuns[0].summary).sort()).toEqual(['model', 'provider', 'tokenUsage'])
  })
})

describe('a search', () => {
  test.each([
    ['words in any case and order', '4711 order', [0]],
    ['one word', 'ORDER', [4, 0]],
    ['letters with diacritics', 'österreich STRASSE', []],
    ['letters with diacritics, unchanged', 'österreich straße', [2]],
    ['a part of a word', 'Öster', [2]],
    ['pattern characters', '%', []],
    ['only white space', ' ', [4, 2, 1, 0]],
  ])('finds %s', async (_, search, found) => {
    expect((await list({ search })).found).toEqual(found)
  })

  test('combines with other filters, and with pages', async () => {
    expect((await list({ search: 'order', states: ['queued', 'completed'] })).found).toEqual([4])
    const first = await list({ search: 'order', limit: 1 })
    expect(first.found).toEqual([4])
    const second = await list({ search: 'order', limit: 1, cursor: first.pagination.nextCursor })
    expect(second.found).toEqual([0])
    expect(await refusal({ search: 'other', cursor: first.pagination.nextCursor })).toEqual([422, 'invalid_cursor'])
  })

  test('is refused to callers who may read no content, and otherwise finds what they may read', async () => {
    expect(await refusal({ search: 'order' }, world.wordless)).toEqual([403, 'permission_denied'])
    expect((await list({ search: 'order' }, world.elsewhere)).found).toEqual([])
    expect((await list({ search: 'order' }, world.foreigner)).found).toEqual([])
  })

  test.each([
    ['', 422],
    ['x'.repeat(101), 422],
  ])('of %p is %i', async (search, status) => {
    expect((await refusal({ search }))[0]).toBe(status)
  })
})

describe('a time', () => {
  const at = (hours: number) => new Date(began + hours * hour).toISOString()

  test.each([
    ['since', { since: 0 }, [0, 1, 2, 3, 4]],
    ['since, without earlier ones', { since: 3 }, [3, 4]],
    ['until, exclusive', { until: 2 }, [0, 1]],
    ['both', { since: 1, until: 3 }, [1, 2]],
    ['both, without any between', { since: 2, until: 2 }, []],
  ])('%s, in both orders', async (_, hours, found) => {
    const within = Object.fromEntries(Object.entries(hours).map(([name, value]) => [name, at(value)]))
    expect((await list({ ...within, order: 'asc' })).found).toEqual(found)
    expect((await list(within)).found).toEqual([...found].reverse())
    const states = ['queued', 'running']
    expect((await list({ ...within, states })).found).toEqual([...found].reverse())
  })

  test('comes in pages', async () => {
    const query = { since: at(1), until: at(4), limit: 2 }
    const first = await list(query)
    expect(first.found).toEqual([3, 2])
    const second = await list({ ...query, cursor: first.pagination.nextCursor })
    expect([second.found, second.pagination.hasMore]).toEqual([[1], false])
  })

  test('is that of creation', async () => {
    expect(await refusal({ since: at(1), sort: 'updatedAt' })).toEqual([422, 'unsupported_filter'])
  })
})

describe('runs by their ids', () => {
  test('are the existing ones that match the other filters', async () => {
    const asked = [ids[1], ids[4], ids[0], `run_${'0'.repeat(26)}`] as string[]
    expect((await list({ ids: asked })).found).toEqual([4, 1, 0])
    expect((await list({ ids: asked, order: 'asc', states: 'queued' })).found).toEqual([1, 4])
    expect((await list({ ids: asked, search: 'order' })).found).toEqual([4, 0])
    expect((await list({ ids: asked, agentId: 'agt_system_other' })).found).toEqual([])
  })

  test('of other organizations are not shown', async () => {
    expect((await list({ ids: ids.join() }, world.foreigner)).found).toEqual([])
    expect((await list({ ids: ids.join() }, world.bound)).found).toEqual([])
  })

  test('come in pages too', async () => {
    const first = await list({ ids, limit: 3 })
    expect(first.found).toEqual([4, 3, 2])
    expect((await list({ ids, limit: 3, cursor: first.pagination.nextCursor })).found).toEqual([1, 0])
  })

  test('that are malformed, or too many, are refused', async () => {
    expect((await refusal({ ids: 'agt_1' }))[0]).toBe(422)
    expect((await refusal({ ids: Array.from({ length: 101 }, () => ids[0]).join() }))[0]).toBe(422)
  })
})

test('a search of very many runs stops, and returns a cursor', async () => {
  const many = await openWorld()
  try {
    const needle = await many.start({ query: 'The needle' })
    const hay = await many.start({ query: 'Hay' })
    const database = new Database(many.file)
    const columns = database
      .query<{ name: string }, []>('pragma table_info(runs)')
      .all()
      .map(({ name }) => name)
    const values = columns.map((name) =>
      name === 'id'
        ? `substr(id, 1, 14) || 'z' || printf('%015d', n)`
        : name === 'query'
          ? `'Hay ' || n`
          : name === 'created_by_id'
            ? `'key_hay'`
            : name,
    )
    database.run(
      `insert into runs (${columns.join()}) with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20500)
       select ${values.join()} from numbers, (select * from runs where query = 'Hay')`,
    )
    database.close()
    const first = await many.owner.get(path, { query: { search: 'needle', agentId: assistant } })
    expect([first.body.agentRuns, first.body.pagination.hasMore]).toEqual([[], true])
    const { nextCursor: cursor } = first.body.pagination
    const second = await many.owner.get(path, { query: { search: 'needle', agentId: assistant, cursor } })
    expect(second.body.agentRuns.map((run: { id: string }) => run.id)).toEqual([needle])
    expect(second.body.pagination.hasMore).toBe(false)

    // so does a list whose filters no index matches
    const query = { createdBy: callers.owner.principal.id, agentId: assistant }
    const part = (await many.owner.get(path, { query })).body
    expect([part.agentRuns, part.pagination.hasMore]).toEqual([[], true])
    const rest = (await many.owner.get(path, { query: { ...query, cursor: part.pagination.nextCursor } })).body
    expect(rest.agentRuns.map((run: { id: string }) => run.id).sort()).toEqual([hay, needle].sort())
    expect(rest.pagination.hasMore).toBe(false)
  } finally {
    await many.close()
  }
})

describe('a list by the time of the end', () => {
  const ended: string[] = []
  const ends: string[] = []
  beforeAll(async () => {
    for (const state of ['failed', 'completed', 'failed', 'canceled', 'failed']) {
      ended.push(await world.startIn(state))
      ends.push((await world.owner.get(`${path}/${ended.at(-1)}`)).body.data.endedAt)
      world.clock.advance(hour)
    }
  })
  const endedIn = async (query: Record<string, string | number | string[]>) => {
    const { status, body } = await world.owner.get(path, { query: { sort: 'endedAt', ...query } })
    expect(status).toBe(200)
    return { places: body.agentRuns.map((run: { id: string }) => ended.indexOf(run.id)), ...body }
  }

  test('includes runs that ended at its beginning, and not those at its end', async () => {
    const [first, , third, , fifth] = ends as [string, string, string, string, string]
    const failed = { states: ['failed'] }
    expect((await endedIn({ ...failed, endedSince: first, endedUntil: fifth })).places).toEqual([2, 0])
    expect((await endedIn({ ...failed, endedSince: third, order: 'asc' })).places).toEqual([2, 4])
    expect((await endedIn({ ...failed, endedUntil: first })).places).toEqual([])
    expect((await endedIn({ endedSince: first })).places).toEqual([4, 3, 2, 1, 0])
  })

  test('has pages', async () => {
    const query = { endedSince: ends[0] as string, limit: 2 }
    const one = await endedIn(query)
    const two = await endedIn({ ...query, cursor: one.pagination.nextCursor })
    const three = await endedIn({ ...query, cursor: two.pagination.nextCursor })
    expect([one.places, two.places, three.places]).toEqual([[4, 3], [2, 1], [0]])
    expect(three.pagination.hasMore).toBe(false)
  })

  test('shows which of the given runs match', async () => {
    const query = { ids: ended, states: ['failed'], endedSince: ends[2] as string }
    expect((await endedIn(query)).places.sort()).toEqual([2, 4])
  })

  test.each([
    ['another order', { sort: 'createdAt', endedSince: '2026-01-01T00:00:00.000Z' }],
    ['a state that is not final', { sort: 'endedAt', states: 'queued' }],
    ['another filter', { sort: 'endedAt', createdBy: 'key_x' }],
    ['a search', { sort: 'endedAt', search: 'order' }],
  ])('is refused with %s', async (_, query) => {
    expect(await refusal(query)).toEqual([422, 'unsupported_filter'])
  })
})
