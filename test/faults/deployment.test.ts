/** The server is killed while it prepares a Deployment, in each of its states. Source: design 3; contract 3, "Deployment". */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endAll, eventually, type Server, Site, within } from '../support/process.ts'
import { type AgentPin, placesAt } from '../support/world/places.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

/** Agents with long instructions, so that their Deployment takes a while. */
const agentsMax = 60
const instructions = 'Help, and be kind. '.repeat(4_000)

/** A Project whose Environment is active, with a Release and a Configuration Revision that holds secrets. */
async function prepare({ client }: Server) {
  const places = await placesAt(client)
  const place = await places.place()
  const pins: AgentPin[] = []
  for (let number = 0; number < agentsMax; number += 1) pins.push(await places.agent(place, { instructions }))
  for (let number = 0; number < agentsMax; number += 1) await places.variable(place)
  const { id: configurationRevisionId } = await places.snapshot(place)
  return {
    path: place.path,
    agent: pins[0] as AgentPin,
    body: { releaseId: await places.release(place, pins), configurationRevisionId },
  }
}

let prepared: Site
let place: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => {
  prepared = await Site.create({ TROUPE_RUNNER: 'none' })
  sites.push(prepared)
  const server = await prepared.start()
  place = await prepare(server)
  expect(await server.end('SIGTERM')).toBe(0)
})

function open(site: Site): Database {
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  return database
}

const statesOf = (database: Database) =>
  database.query<{ id: string; state: string }, []>('select id, state from deployments').all()

/** The most Deployments that are open at a time: each one takes a second where the machine is busy. */
const openMax = 8

/**
 * Submits Deployments until one is observed in this state, and kills the server there; nothing can change the state any
 * more.
 */
async function killWhile(state: string, site: Site, server: Server, path: string, body: object): Promise<string> {
  const database = open(site)
  let submitting = true
  const submit = async () => {
    while (submitting) {
      const isFull = statesOf(database).filter((one) => one.state !== 'ready').length >= openMax
      if (!isFull) await server.client.post(`${path}/deployments`, body).catch(() => {})
      await Bun.sleep(20)
    }
  }
  const submitted = submit()
  try {
    return await within(
      (async () => {
        for (;;) {
          // this process holds the store's lock, so the observed state is the final one
          database.run('begin immediate')
          const found = statesOf(database).find((one) => one.state === state)
          if (found) {
            submitting = false
            await server.end('SIGKILL')
            database.run('rollback')
            return found.id
          }
          database.run('rollback')
          await Bun.sleep(Math.random() * 10)
        }
      })(),
      `a Deployment that is ${state}`,
      server.output,
    )
  } finally {
    submitting = false
    await submitted
    database.close()
  }
}

test.each(['queued', 'validating', 'provisioning', 'materializing'])(
  'killed while a Deployment is %s, the next server completes it, and does nothing twice',
  async (state) => {
    const site = await prepared.copy()
    sites.push(site)
    const before = await site.start()
    const { path, body } = place
    const id = await killWhile(state, site, before, path, body)

    const after = await site.start()
    await eventually('the end of every Deployment', async () => {
      const { items } = (await after.client.get(`${path}/deployments`, { query: { limit: 100 } })).body.data
      return items.every((one: { state: string }) => one.state === 'ready')
    })
    const { data } = (await after.client.get(`${path}/deployments/${id}`)).body
    expect([data.state, data.stateReason]).toEqual(['ready', null])
    const transitions = (await after.client.get(`${path}/deployments/${id}/transitions`)).body.data.items
    expect(transitions.map(({ to }: { to: string }) => to)).toEqual([
      'queued',
      'validating',
      'provisioning',
      'materializing',
      'ready',
    ])

    const database = open(site)
    const bundles = database.query('select digest from deployment_bundles where deployment_id = ?').all(id)
    // the bundle's digest is over its text, the Deployment's over what it serves
    expect(bundles).toEqual([{ digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }])
    expect(data.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    const events = database
      .query<{ sequence: number; body: string }, []>('select sequence, body from environment_events order by sequence')
      .all()
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    const received = events.map(({ body: text }) => JSON.parse(text)).filter(({ subject }) => subject.id === id)
    expect(received.map(({ data: { to } }) => to)).toEqual(transitions.map(({ to }: { to: string }) => to))
    // the row of an effect is removed after its result is stored
    await eventually(
      'no effect that is left',
      () => database.query("select * from effects where kind = 'deployment'").all().length === 0,
    )
    expect(database.query("select * from timers where kind = 'deployment'").all()).toEqual([])
    database.close()

    const activated = await after.client.post(`${path}/activations`, { deploymentId: id, expectedGeneration: 0 })
    expect(activated.status).toBe(201)
    expect(await after.end('SIGTERM')).toBe(0)
  },
)

test('a long bundle is stored in pieces, serves after a kill, and its pieces go with its Project', async () => {
  const site = await prepared.copy()
  sites.push(site)
  const before = await site.start()
  const { path, agent, body } = place
  await killWhile('materializing', site, before, path, body)

  const { client, end } = await site.start({ TROUPE_RUNNER: 'embedded', TROUPE_SWEEP_INTERVAL_MS: '100' })
  const ended = await eventually('the end of every Deployment', async () => {
    const { items } = (await client.get(`${path}/deployments`, { query: { limit: 100 } })).body.data
    return items.every(({ state }: { state: string }) => state === 'ready') && items
  })
  const database = open(site)
  const count = (table: string) => database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? 0
  await eventually('no text that nothing refers to', () => count('loose_texts') === 0)
  const [{ size, owners }] = database
    .query<{ size: number; owners: number }, []>(
      'select max(length(body)) as size, count(distinct owner_id) as owners from text_pieces',
    )
    .all() as [{ size: number; owners: number }]
  expect([owners, size <= 512 * 1024]).toEqual([ended.length, true])

  await client.post(`${path}/activations`, { deploymentId: ended[0].id, expectedGeneration: 0 })
  const run = { agentId: agent.agentId, environmentId: path.split('/').at(-1), query: '/say Served' }
  const started = await client.post('/api/v1/agent-runs', run, { query: { waitSeconds: 30 } })
  expect(started.body.data).toMatchObject({ state: 'completed' })

  expect((await client.delete(path.replace(/\/environments\/.*/, ''))).status).toBe(202)
  const remains = ['deployments', 'text_pieces', 'loose_texts', 'deployment_credentials']
  await eventually('the end of the Project', () => remains.every((table) => count(table) === 0))
  database.close()
  expect(await end('SIGTERM')).toBe(0)
})

test('after an hour without a server, accepted Deployments are completed', async () => {
  const site = await prepared.copy()
  sites.push(site)
  const { path, body } = place
  await killWhile('validating', site, await site.start(), path, body)
  const database = open(site)
  database.run("update timers set due_at = due_at - 3600000 where kind = 'deployment'")
  database.close()

  const { client, end } = await site.start()
  const ended = await eventually('the end of every Deployment', async () => {
    const { items } = (await client.get(`${path}/deployments`, { query: { limit: 100 } })).body.data
    return items.every(({ state }: { state: string }) => ['ready', 'failed'].includes(state)) && items
  })
  for (const { state, stateReason } of ended)
    expect({ state, stateReason }).toEqual({ state: 'ready', stateReason: null })
  expect(await end('SIGTERM')).toBe(0)
})
