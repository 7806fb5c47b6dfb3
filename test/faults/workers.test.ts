/** The server is killed while a worker executes calls. Source: contract 11, "Workers", "Lost lease". */
import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Troupe, type WorkerHandler } from '@troupe/sdk'
import { once, openWorkers, workerOperation } from '../automation/workers/world.ts'
import { freePort } from '../support/free-ports.ts'
import { endAll, eventually, Site } from '../support/process.ts'

let folder: string | undefined
afterAll(async () => {
  await endAll()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const callsOfEach = 30
const kills = 3

test('no call is lost, and none that must not be repeated is repeated', async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-killed-'))
  const timeoutMs = 120_000
  const world = await openWorkers({ folder, environment: { TROUPE_RUNNER: 'none' } })
  const served = await world.serving([
    workerOperation('charge', { ...once, timeoutMs }),
    workerOperation('put', { effect: 'write', timeoutMs }),
  ])
  await world.stop()

  // the next server uses the same address
  const settings = { PORT: String(freePort()), TROUPE_WORKER_LEASE_MS: '1000', TROUPE_RUNNER: 'none' }
  const site = await Site.create(settings, folder)
  let server = await site.start()
  const { projectId, environmentId, path } = served.place
  const troupe = new Troupe({ baseUrl: server.url, apiKey: site.key })
  const made: string[] = []
  const handler: WorkerHandler = async (_, { invocationId }) => {
    made.push(invocationId)
    await Bun.sleep(20)
    return invocationId
  }
  const worker = troupe.worker({
    projectId,
    environmentId,
    queue: 'billing',
    slots: 4,
    operations: { 'shop.charge': handler, 'shop.put': handler },
  })

  /** Repeats the request until the server knows the call; returns its id. */
  const invoked = async (operation: string, index: number): Promise<string> => {
    const body = { input: {}, idempotencyKey: `${operation}-${index}` }
    return eventually(`an answer about ${operation} ${index}`, async () => {
      const asked = served.invoke(operation, body, server.client)
      const reply = await asked.catch(() => undefined)
      return reply !== undefined && reply.status < 300 && (reply.body.data.id as string)
    })
  }
  const indexes = Array.from({ length: callsOfEach }, (_, index) => index)
  const asked = Promise.all(
    ['shop.charge', 'shop.put'].flatMap((operation) =>
      indexes.map(async (index) => ({ operation, id: await invoked(operation, index) })),
    ),
  )
  for (let killed = 1; killed <= kills; killed += 1) {
    const before = made.length
    await eventually('some calls', () => made.length > before + 3 || made.length >= callsOfEach * 2)
    await server.end('SIGKILL')
    server = await site.start()
  }

  const ended = await Promise.all(
    (await asked).map(async ({ operation, id }) => {
      const invocation = await eventually(`the end of ${id}`, async () => {
        const { body } = await server.client.get(`${path}/operation-invocations/${id}`)
        return body.data.state !== 'running' && (body.data as { state: string; output: unknown })
      })
      return { operation, id, ...invocation }
    }),
  )
  await worker.stop()
  for (const { operation, id, state, output } of ended) {
    const times = made.filter((one) => one === id).length
    if (operation === 'shop.put') expect({ id, state, output }).toEqual({ id, state: 'succeeded', output: id })
    else if (state === 'succeeded') expect({ id, times, output }).toEqual({ id, times: 1, output: id })
    // killed between the lease and the answer: at most once, and nobody says that it was
    else expect({ id, state, once: times <= 1 }).toEqual({ id, state: 'unknown', once: true })
  }
  expect(ended.filter(({ state }) => state === 'succeeded').length).toBeGreaterThan(callsOfEach)
})
