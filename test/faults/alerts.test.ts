/** The server is killed while alert rules fire. */
import { afterAll, expect, test } from 'bun:test'
import { newPlace } from '../events/webhooks/world.ts'
import { endAll, eventually, Site } from '../support/process.ts'

let site: Site | undefined
afterAll(async () => {
  await endAll()
  await site?.remove()
})

test('killed while rules fire: each rule fires once and notifies once', async () => {
  site = await Site.create({
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_WEBHOOK_TIMEOUT_MS: '400',
    TROUPE_WEBHOOK_LEASE_MS: '500',
    TROUPE_WEBHOOK_BACKOFF_MS: '50,50,50',
  })
  let server = await site.start()
  const place = await newPlace(server.client)
  const deploymentId = await place.emit()
  await eventually('a Deployment that serves', async () => {
    const wanted = { deploymentId, expectedGeneration: 0 }
    return (await server.client.post(`${place.path}/activations`, wanted)).status === 201
  })
  const environmentId = place.path.split('/').at(-1) as string
  const started = await server.client.post('/api/v1/agent-runs', {
    agentId: place.agentId,
    environmentId,
    query: '/fail It broke.',
  })
  await eventually('a run that failed', async () => {
    const { body } = await server.client.get(`/api/v1/agent-runs/${started.body.data.id}`)
    return body.data.state === 'failed'
  })

  const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const made = await server.client.post(`${place.path}/webhooks`, {
    endpointUrl: `http://127.0.0.1:${receiver.port}/`,
    eventTypes: ['alert.firing'],
  })
  expect(made.status).toBe(200)
  const rule = {
    environmentId,
    condition: { type: 'failing', count: 1, withinMinutes: 60 },
    notify: { webhooks: true, mail: false },
  }
  // killed at some moment during their creation, the first evaluation or its notifications
  const asked = Array.from({ length: 12 }, (_, index) =>
    server.client.post('/api/v1/alert-rules', { ...rule, name: `Rule ${index}` }).catch(() => undefined),
  )
  await Promise.race(asked)
  await server.end('SIGKILL')
  await Promise.all(asked)
  server = await site.start()

  const rules = async () =>
    (await server.client.get('/api/v1/alert-rules?limit=100')).body.data.items as { id: string; state: string }[]
  // the other rules are evaluated within the minute
  const firing = (await rules()).filter(({ state }) => state === 'firing').map(({ id }) => id)
  expect(firing.length).toBeGreaterThan(0)
  const { body } = await server.client.get(`${place.path}/events?limit=100`)
  const firingEvents = body.events
    .filter(({ type }: { type: string }) => type === 'alert.firing')
    .map(({ subject }: { subject: { id: string } }) => subject.id)
  expect(firingEvents.sort()).toEqual(firing.sort())
  for (const { id, state } of await rules()) {
    const { body: incidents } = await server.client.get(`/api/v1/alert-rules/${id}/incidents`)
    expect(incidents.data.items).toHaveLength(state === 'firing' ? 1 : 0)
  }
  await eventually('one delivery of each', async () => {
    const { body: sent } = await server.client.get(`${place.path}/webhooks/${made.body.data.id}/deliveries?limit=100`)
    const { items } = sent.data
    expect(items.length).toBeLessThanOrEqual(firingEvents.length)
    return items.filter(({ state }: { state: string }) => state === 'delivered').length === firingEvents.length
  })
  await receiver.stop(true)
  expect(await server.end('SIGTERM')).toBe(0)
})
