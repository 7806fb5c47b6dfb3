/** Redis is unavailable, and loses its data: nothing that is stored depends on it. Source: trust 3.3, case 33. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newPlace, receiver } from '../../events/webhooks/world.ts'
import { endAll, eventually, type Server, Site } from '../../support/process.ts'
import { agentId } from '../../support/run-records.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'

describe.skipIf(!redisIsInstalled())('while Redis is unavailable, and once it is back without its data', () => {
  let redis: RedisServer
  let site: Site
  let server: Server
  beforeAll(async () => {
    redis = await startRedis()
    site = await Site.create({ REDIS_URL: redis.url, TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' })
    server = await site.start()
  })
  afterAll(async () => {
    await endAll()
    await site?.remove()
    await redis?.stop()
  })

  test('webhooks are delivered at once, and runs continue with Redis', async () => {
    const at = receiver()
    const place = await newPlace(server.client)
    const webhook = { endpointUrl: at.url, eventTypes: ['deployment.queued'] }
    expect((await server.client.post(`${place.path}/webhooks`, webhook)).status).toBe(200)
    const deliver = async (all: number) => {
      await place.emit()
      await eventually('the delivery', () => at.received.length === all)
    }
    await deliver(1)

    await redis.kill()
    await deliver(2)
    const started = await server.client.post('/api/v1/agent-runs', { agentId, query: 'Hello' })
    expect(started.status).toBe(200)

    await redis.restart()
    await deliver(3)
    const path = `/api/v1/agent-runs/${started.body.data.id}`
    await eventually('the end of the run', async () => (await server.client.get(path)).body.data.state === 'completed')
    at.stop()
    expect(await server.end('SIGTERM')).toBe(0)
  })
})
