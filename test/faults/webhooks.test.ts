/**
 * The server is killed while it delivers webhooks. Source: requirement 6.1; design 3; contract 7; trust 3.3, cases 22,
 * 23, 32.
 */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { held, newPlace, type Received, type Receiver, receiver } from '../events/webhooks/world.ts'
import type { Client } from '../support/client.ts'
import { endAll, eventually, Site } from '../support/process.ts'

const sites: Site[] = []
const receivers: Receiver[] = []
afterAll(async () => {
  await endAll()
  for (const { stop } of receivers) stop()
  for (const site of sites) await site.remove()
})

async function newSite(environment: Record<string, string> = {}): Promise<Site> {
  const site = await Site.create({
    TROUPE_RUNNER: 'none',
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_WEBHOOK_BACKOFF_MS: '50,50,50,50',
    TROUPE_WEBHOOK_LEASE_MS: '150000',
    TROUPE_WEBHOOK_TIMEOUT_MS: '120000',
    ...environment,
  })
  sites.push(site)
  return site
}
function listening(...given: Parameters<typeof receiver>): Receiver {
  const at = receiver(...given)
  receivers.push(at)
  return at
}
async function webhook(client: Client, path: string, endpointUrl: string): Promise<string> {
  const { body } = await client.post(`${path}/webhooks`, { endpointUrl, eventTypes: ['deployment.queued'] })
  return body.data.id
}
const deliveriesOf = async (client: Client, path: string, id: string) =>
  (await client.get(`${path}/webhooks/${id}/deliveries`, { query: { limit: 100 } })).body.data.items

/** While no server runs: the leases of deliveries in flight expire. */
function expireLeases({ storePath }: Site) {
  const database = new Database(storePath)
  database.run("update timers set due_at = 0 where kind = 'delivery'")
  database.close()
}

test('killed between the request and its result: the receiver gets the same webhook-id again, with a later signature', async () => {
  const site = await newSite()
  const { react } = held()
  const at = listening((request, count) => (count === 1 ? react(request, count) : new Response('thanks')))
  const before = await site.start()
  const place = await newPlace(before.client)
  const id = await webhook(before.client, place.path, at.url)
  await place.emit()
  await eventually('an attempt', () => at.received.length === 1)
  await before.end('SIGKILL')

  // signatures contain whole seconds
  const sentAt = Number(at.received[0]?.headers['webhook-timestamp'])
  await eventually('another second', () => Date.now() >= (sentAt + 1) * 1_000)
  expireLeases(site)
  const after = await site.start()
  const [delivery] = await eventually('a delivery that has arrived', async () => {
    const found = await deliveriesOf(after.client, place.path, id)
    return found[0]?.state === 'delivered' && found
  })
  expect(at.received.length).toBe(2)
  const [first, second] = at.received as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'] as string)
  expect(second.body).toBe(first.body)
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']))
  expect(delivery.attemptHistory).toMatchObject([
    { number: 1, status: null, errorClass: 'lease_expired' },
    { number: 2, status: 200, errorClass: null },
  ])
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed repeatedly while it turns events into deliveries: each event has one delivery, and none is lost', async () => {
  const site = await newSite()
  const at = listening()
  let server = await site.start()
  const place = await newPlace(server.client)
  const id = await webhook(server.client, place.path, at.url)
  let acknowledged = 0
  for (let round = 0; round < 4; round += 1) {
    const { client } = server
    const before = acknowledged
    const agent = await client.get(`${place.path}/deployments`, { query: { limit: 1 } })
    expect(agent.status).toBe(200)
    const release = await client.get(`${place.projectPath}/releases`)
    const environment = await client.get(place.path)
    const body = {
      releaseId: release.body.data.items[0].id,
      configurationRevisionId: environment.body.data.configurationHead.revisionId,
    }
    let submitting = true
    const submit = async () => {
      while (submitting) {
        const reply = await client.post(`${place.path}/deployments`, body).catch(() => undefined)
        if (!reply) return
        if (reply.status === 202) acknowledged += 1
      }
    }
    const submitted = Promise.all([submit(), submit(), submit(), submit()])
    await eventually('a deployment acknowledged', () => acknowledged > before)
    await Bun.sleep(Math.random() * 150)
    await server.end('SIGKILL')
    submitting = false
    await submitted
    expireLeases(site)
    server = await site.start()
  }
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  const count = (sql: string) => Object.values(database.query<Record<string, number>, []>(sql).get() ?? {})[0]
  await eventually(
    'all of them delivered',
    () => count("select count(*) from deliveries where state <> 'delivered'") === 0,
  )
  const events = count("select count(*) from environment_events where type = 'deployment.queued'") as number
  expect(events).toBeGreaterThanOrEqual(acknowledged)
  await eventually('a delivery for each event', () => count('select count(*) from deliveries') === events)
  expect(count('select count(distinct event_id) from deliveries')).toBe(events)
  await eventually(
    'all of them delivered',
    () => count("select count(*) from deliveries where state <> 'delivered'") === 0,
  )
  expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(events)
  database.close()
  expect((await deliveriesOf(server.client, place.path, id)).length).toBeGreaterThan(0)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('events that nobody fanned out are found at the start', async () => {
  const site = await newSite()
  const at = listening()
  const before = await site.start()
  const place = await newPlace(before.client)
  await webhook(before.client, place.path, at.url)
  await place.emit()
  await eventually('the delivery', () => at.received.length === 1)
  await before.end('SIGKILL')

  // the state after a crash right after the commit of the event
  const database = new Database(site.storePath)
  database.run('delete from deliveries')
  database.run('update webhook_pointers set sequence = 0')
  database.close()
  const after = await site.start()
  await eventually('the delivery', () => at.received.length === 2)
  expect(await after.end('SIGTERM')).toBe(0)
})

test('SIGTERM waits for deliveries in flight, and stores their results', async () => {
  const site = await newSite()
  const { react, release } = held()
  const at = listening(react)
  const before = await site.start()
  const place = await newPlace(before.client)
  await webhook(before.client, place.path, at.url)
  await place.emit()
  await eventually('an attempt', () => at.received.length === 1)
  const ended = before.end('SIGTERM')
  await eventually(
    'a server that stops',
    async () => (await fetch(`${before.url}/readyz`).catch(() => undefined))?.status !== 200,
  )
  release()
  expect(await ended).toBe(0)
  const database = new Database(site.storePath)
  expect(database.query('select state, attempts from deliveries').all()).toEqual([{ state: 'delivered', attempts: 1 }])
  database.close()
})

test('SIGTERM does not wait for an endpoint that hangs: the lease tells the next server', async () => {
  const site = await newSite()
  const { react } = held()
  const at = listening((request, count) => (count === 1 ? react(request, count) : new Response('thanks')))
  const before = await site.start()
  const place = await newPlace(before.client)
  const id = await webhook(before.client, place.path, at.url)
  await place.emit()
  await eventually('an attempt', () => at.received.length === 1)
  expect(await before.end('SIGTERM')).toBe(0)
  expireLeases(site)
  const after = await site.start()
  await eventually('a delivery that has arrived', async () => {
    const found = await deliveriesOf(after.client, place.path, id)
    return found[0]?.state === 'delivered' && found[0].attempts === 2
  })
  expect(after.output()).not.toContain('"level":"error"')
  expect(await after.end('SIGTERM')).toBe(0)
})

test('while the store is unavailable nothing counts as delivered, and the work resumes by itself', async () => {
  const site = await newSite()
  const { react, release } = held()
  const at = listening(react)
  const server = await site.start()
  const place = await newPlace(server.client)
  const id = await webhook(server.client, place.path, at.url)
  await place.emit()
  await eventually('an attempt', () => at.received.length === 1)
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  database.run('begin immediate')
  release()
  // longer than a commit waits for the lock
  await Bun.sleep(2_500)
  expect(database.query("select 1 from deliveries where state = 'delivered'").all()).toEqual([])
  database.run('rollback')
  database.close()
  await eventually('a delivery that has arrived', async () => {
    const [found] = await deliveriesOf(server.client, place.path, id)
    return found?.state === 'delivered' && found.attempts === 1
  })
  expect(at.received.length).toBe(1)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('killed during the recovery of a webhook: every missed event gets exactly one delivery', async () => {
  const site = await newSite({ TROUPE_WEBHOOK_BACKOFF_MS: '1' })
  const answer = { status: 500 }
  const at = listening(() => new Response(null, { status: answer.status }))
  let server = await site.start()
  const place = await newPlace(server.client)
  const id = await webhook(server.client, place.path, at.url)
  const path = `${place.path}/webhooks/${id}`
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  const count = (state: string) =>
    database
      .query<{ count: number }, [string, string]>(
        'select count(*) as count from deliveries where webhook_id = ? and state = ?',
      )
      .get(id, state)?.count
  // more than two batches of each
  const each = 110
  const emit = async () => {
    for (let made = 0; made < each; made += 10) await Promise.all(Array.from({ length: 10 }, () => place.emit()))
  }
  await emit()
  await eventually('dead letters', () => count('dead-letter') === each)
  await server.client.patch(path, { enabled: false })
  await emit()
  answer.status = 200
  await server.client.patch(path, { enabled: true })
  at.received.length = 0
  const begun = await server.client.post(`${path}/recover`, { since: '2020-01-01T00:00:00.000Z' })
  expect(begun.status).toBe(202)
  const recovery = async () =>
    (await server.client.get(`${path}/recoveries/${begun.body.data.id}`)).body.data as {
      state: string
      progress: { retried: number; made: number }
    }
  await server.end('SIGKILL')
  // a delivery in flight when a server is killed has had an attempt
  const patient = { TROUPE_WEBHOOK_BACKOFF_MS: '1,1,1,1' }
  for (let round = 0; round < 2; round += 1) {
    server = await site.start(patient)
    await eventually('a further piece', async () => {
      const { state, progress } = await recovery()
      return state !== 'running' || progress.retried + progress.made > round * each
    })
    await server.end('SIGKILL')
    expireLeases(site)
  }
  server = await site.start(patient)
  await eventually('the end of the recovery', async () => (await recovery()).state === 'completed')
  // a dead letter whose batch was interrupted is put back, but not counted
  const { made, retried } = (await recovery()).progress
  expect(made).toBe(each)
  expect(retried).toBeLessThanOrEqual(each)
  await eventually('all of them delivered', () => count('delivered') === 2 * each)
  expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2 * each)
  const { events } = database
    .query<{ events: number }, [string]>(
      'select count(distinct event_id) as events from deliveries where webhook_id = ?',
    )
    .get(id) as { events: number }
  expect(events).toBe(2 * each)
  database.close()
})
