/** The number of actors in each state, for how long, and which ones. Source: contract 13, "Fleet". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runStates } from '../../../../machines/run/states.ts'
import { api, type Client } from '../../../support/client.ts'
import { populationsOf } from '../../../support/fleet.ts'
import { endedStates, insertRun, openFile } from '../../../tenancy/deletions/rows.ts'
import { openWorld, plantProject, settled, type Tree, type World } from '../../../tenancy/deletions/world.ts'

interface StateOf {
  state: string
  count: number
  oldestSince: string | null
  secondsInState: { p50: number | null; p95: number | null }
}
interface Listed {
  kind: string
  id: string
  state: string
  since: string
  projectId: string | null
  environmentId: string | null
}

/** Actors that a server without runners does not change. */
const stillStates = ['queued', 'awaitingToolResult', 'awaitingDelegateResult', ...endedStates] as const

let world: World
let tree: Tree
let other: Tree
/** Outside of Projects. */
let loose: string
const keys: Record<string, Client> = {}
beforeAll(async () => {
  world = await openWorld()
  tree = await plantProject(world, 'shop', stillStates)
  other = await plantProject(world, 'other', ['queued', 'completed'])
  loose = insertRun(world.database, { organizationId: world.organizationId, agentId: 'agt_system_assistant' }, 'failed')
  const [environmentId] = tree.environments
  const scopes: Record<string, object> = {
    project: { projectId: tree.projectId },
    environment: { projectId: tree.projectId, environmentId },
    agent: { projectId: tree.projectId, agentId: tree.agentId },
  }
  for (const [name, scope] of Object.entries(scopes)) {
    const { secret } = await world.post('/api/v1/api-keys', { name, operations: ['*'], ...scope })
    keys[name] = api(world.url, secret)
  }
  const { secret } = await world.post('/api/v1/api-keys', { name: 'reader', operations: ['projects:get'] })
  keys.powerless = api(world.url, secret)
})
afterAll(() => world?.stop())

const path = (kind: string, query = '') => `/api/v1/machines/${kind}/population${query}`

async function population(kind: string, query = '', client = world.owner): Promise<Record<string, StateOf>> {
  const { status, body } = await client.get(path(kind, query))
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  expect(Date.parse(body.data.takenAt)).toBeGreaterThan(0)
  return Object.fromEntries(body.data.states.map((each: StateOf) => [each.state, each]))
}
const counts = async (...given: Parameters<typeof population>) =>
  Object.fromEntries(
    Object.values(await population(...given)).flatMap(({ state, count }) => (count === 0 ? [] : [[state, count]])),
  )
const list = async (query: string, client = world.owner) => {
  const { status, body } = await client.get(`/api/v1/actors?${query}`)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return { items: body.data.items as Listed[], pagination: body.pagination }
}
/** The run entered its state this many milliseconds ago. */
const age = (id: string | undefined, ms: number) =>
  world.database.run('update runs set state_since = ? where id = ?', [Date.now() - ms, id ?? ''])

const one = Object.fromEntries(stillStates.map((state) => [state, 1]))

describe('a population', () => {
  test('has every state of the statechart, with zeros for empty ones', async () => {
    const found = await population('run', `?projectId=${other.projectId}`)
    expect(Object.keys(found).sort()).toEqual([...runStates].sort())
    expect(found.canceling).toEqual({
      state: 'canceling',
      count: 0,
      oldestSince: null,
      secondsInState: { p50: null, p95: null },
    })
  })

  test('can be restricted to a Project or an Environment', async () => {
    expect(await counts('run')).toEqual({ ...one, queued: 2, completed: 2, failed: 2 })
    expect(await counts('run', `?projectId=${tree.projectId}`)).toEqual(one)
    expect(await counts('run', `?environmentId=${tree.environments[0]}`)).toEqual(one)
    expect(await counts('run', `?environmentId=${tree.environments[1]}`)).toEqual({})
    expect(await counts('environment', `?projectId=${tree.projectId}`)).toEqual({ provisioning: 3 })
    expect(await counts('environment')).toEqual({ provisioning: 6 })
  })

  test('shows since when the oldest actor is in a state', async () => {
    const since = (await population('run')).canceled?.oldestSince
    const [row] = world.database
      .query<{ at: number }, []>("select min(updated_at) as at from runs where state = 'canceled'")
      .all()
    expect(since).toBe(new Date(row?.at ?? 0).toISOString())
  })

  test.each([
    ['project', { ...one }],
    ['environment', { ...one }],
  ] as const)('shows the actors of one %s to its key', async (name, expected) => {
    expect(await counts('run', '', keys[name])).toEqual(expected)
  })

  const refusals: [string, string, () => string, number][] = [
    ['owner', 'a kind that there is not', () => path('spaceship'), 404],
    ['owner', 'a Project that there is not', () => path('run', '?projectId=prj_01h455vb4pex5vsknk084sn02q'), 404],
    [
      'owner',
      'an Environment of another Project',
      () => path('run', `?projectId=${other.projectId}&environmentId=${tree.environments[0]}`),
      404,
    ],
    ['project', 'another Project', () => path('run', `?projectId=${other.projectId}`), 404],
    ['environment', 'another Environment', () => path('run', `?environmentId=${tree.environments[1]}`), 404],
    ['agent', 'anything', () => path('run'), 403],
    ['powerless', 'a kind that it may not read', () => path('run'), 403],
    ['project', 'what is of the organization', () => path('integration'), 403],
    ['powerless', 'what only some may delete', () => path('deletion'), 403],
    [
      'owner',
      'a Project, of what is of the organization',
      () => path('integration', `?projectId=${tree.projectId}`),
      422,
    ],
    ['owner', 'a list of a kind that there is not', () => '/api/v1/actors?kind=spaceship', 404],
    ['owner', 'a list of no kind', () => '/api/v1/actors', 422],
    ['owner', 'a state that there is not', () => '/api/v1/actors?kind=run&state=asleep', 422],
    ['agent', 'a list', () => '/api/v1/actors?kind=run', 403],
    ['project', 'a list of another Project', () => `/api/v1/actors?kind=run&projectId=${other.projectId}`, 404],
  ]
  test.each(refusals)('%s requests %s', async (name, _, address, status) => {
    const client = name === 'owner' ? world.owner : (keys[name] as Client)
    expect((await client.get(address())).status).toBe(status)
  })

  test('of every kind can be read and listed', async () => {
    const { body } = await world.owner.get('/api/v1/machines')
    const kinds = (body.data.items as { kind: string }[]).map(({ kind }) => kind)
    expect(kinds.length).toBe(16)
    for (const kind of kinds) {
      const inStates = Object.values(await counts(kind)).reduce((sum, count) => sum + count, 0)
      expect([kind, (await list(`kind=${kind}&limit=100`)).items.length]).toEqual([kind, inStates])
    }
  })
})

describe('a list', () => {
  test('begins with the actor that has been in its state longest, and has pages', async () => {
    tree.runs.forEach((id, index) => void age(id, (index + 1) * 3_600_000))
    const expected = [...tree.runs].reverse()
    const found: Listed[] = []
    for (let cursor = ''; ; ) {
      const { items, pagination } = await list(`kind=run&projectId=${tree.projectId}&limit=2${cursor}`)
      found.push(...items)
      if (!pagination.hasMore) break
      cursor = `&cursor=${pagination.nextCursor}`
    }
    expect(found.map(({ id }) => id)).toEqual(expected)
    expect(found[0]).toEqual({
      kind: 'run',
      id: expected[0] as string,
      state: stillStates.at(-1) as string,
      since: expect.any(String) as unknown as string,
      projectId: tree.projectId,
      environmentId: tree.environments[0] as string,
    })
  })

  test('pages correctly among actors that entered their state at the same time', async () => {
    const at = Date.now() - 7 * 86_400_000
    for (const id of tree.runs) world.database.run('update runs set state_since = ? where id = ?', [at, id])
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { items, pagination } = await list(`kind=run&projectId=${tree.projectId}&limit=3${cursor}`)
      found.push(...items.map(({ id }) => id))
      if (!pagination.hasMore) break
      cursor = `&cursor=${pagination.nextCursor}`
    }
    expect(found).toEqual([...tree.runs].sort())
  })

  test('can be restricted to a state, and to a minimum time in it', async () => {
    tree.runs.forEach((id, index) => void age(id, (index + 1) * 3_600_000))
    const old = await list(`kind=run&projectId=${tree.projectId}&olderThanSeconds=${3 * 3_600}`)
    expect(old.items.map(({ id }) => id).sort()).toEqual(tree.runs.slice(2).sort())
    const queued = await list('kind=run&state=queued')
    expect(queued.items.map(({ id }) => id)).toEqual([tree.runs[0], other.runs[0]] as string[])
    expect((await list('kind=run&state=queued&olderThanSeconds=1800')).items.map(({ id }) => id)).toEqual([
      tree.runs[0] as string,
    ])
  })

  test('shows actors outside of Projects only to users of the whole organization', async () => {
    expect((await list('kind=run&state=failed')).items.map(({ id }) => id)).toContain(loose)
    expect((await list('kind=run&state=failed', keys.project)).items.map(({ id }) => id)).not.toContain(loose)
  })
})

test('the counts of the store are correct, also after the removal of a Project', async () => {
  const { found, counted } = populationsOf(world.database)
  expect(counted).toEqual(found)
  expect(found.run?.length).toBeGreaterThanOrEqual(stillStates.length + 2)

  expect((await world.owner.delete(`/api/v1/projects/${other.projectId}`)).status).toBe(202)
  await settled(world, other.projectId)
  const after = populationsOf(world.database)
  expect(after.counted).toEqual(after.found)
  expect(JSON.stringify(after.counted)).not.toContain(other.environments[0])
  const left = openFile(world.file)
  expect(
    left
      .query("select 1 from actor_counts where place like 'env_%' and place not in (select id from environments)")
      .all(),
  ).toEqual([])
  left.close()
})
