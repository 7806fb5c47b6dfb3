/** The server is killed while it processes ticks. Source: contract 6, Jobs; design 3. */
import { afterAll, expect, test } from 'bun:test'
import { newPlace } from '../events/webhooks/world.ts'
import { endAll, eventually, Site } from '../support/process.ts'
import { killedWhileTicksAreDue } from './due-ticks.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const jobsCount = 60

test('killed repeatedly while it processes ticks: each tick has exactly one run', async () => {
  const site = await Site.create({ TROUPE_RUNNER: 'none' })
  sites.push(site)
  let server = await site.start()
  const place = await newPlace(server.client)
  const deploymentId = await place.emit()
  await eventually('a Deployment that serves', async () => {
    const wanted = { deploymentId, expectedGeneration: 0 }
    return (await server.client.post(`${place.path}/activations`, wanted)).status === 201
  })
  const body = { agentId: place.agentId, name: 'Report', schedule: { cron: '0 0 1 1 *' }, query: '/say done' }
  const ids = await Promise.all(
    Array.from({ length: jobsCount }, async () => {
      const { status, body: answer } = await server.client.post(`${place.path}/agent-jobs`, body)
      expect(status).toBe(201)
      return answer.data.id as string
    }),
  )
  await server.end('SIGKILL')

  const { count, close, ...after } = await killedWhileTicksAreDue(site, jobsCount, { rounds: 3, each: 10 })
  server = after.server
  expect(count('select count(*) from runs where agent_job_id is not null')).toBe(jobsCount)
  expect(count('select count(distinct agent_job_id) from runs')).toBe(jobsCount)
  close()
  for (const id of ids.slice(0, 3)) {
    const { body: verified } = await server.client.get(`/api/v1/actors/agent-job/${id}/verify`)
    expect(verified.data).toMatchObject({ valid: true, storedState: 'scheduled' })
  }
  expect(server.output()).not.toContain('"level":"error"')
  expect(await server.end('SIGTERM')).toBe(0)
})
