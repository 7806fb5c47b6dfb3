/** Workers of the SDK against a real server. Source: contract 11, "Workers". */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { RetryLater, Troupe, TroupeError, type Worker, type WorkerHandler, type WorkerOptions } from '@troupe/sdk'
import { once, openWorkers, type Served, type WorkersWorld, workerOperation } from '../automation/workers/world.ts'
import { eventually } from '../support/process.ts'
import { data } from '../support/world/replies.ts'

let world: WorkersWorld
let served: Served
let troupe: Troupe
/** Longer than an overloaded machine delays a heartbeat. */
const leaseMs = 4_000
beforeAll(async () => {
  world = await openWorkers({ environment: { TROUPE_WORKER_LEASE_MS: String(leaseMs) } })
  served = await world.serving([workerOperation('charge', { ...once, timeoutMs: 20_000 }), workerOperation('look')])
  troupe = new Troupe({ baseUrl: world.url, apiKey: world.key })
})
afterAll(() => world?.stop())

/** Workers of a failed test must not take calls of the next one. */
const atWork = new Set<Worker>()
const noted = (worker: Worker) => {
  atWork.add(worker)
  return worker
}
afterEach(async () => {
  await Promise.all([...atWork].map((worker) => worker.stop().catch(() => {})))
  atWork.clear()
})

const working = (
  operations: Record<string, WorkerHandler>,
  more: Pick<WorkerOptions, 'slots' | 'onError'> & Partial<Pick<WorkerOptions, 'operations'>> = {},
) => {
  const { projectId, environmentId } = served.place
  return noted(troupe.worker({ projectId, environmentId, queue: 'billing', operations, ...more }))
}

test('serves an Environment by its names, and ends if there is none', async () => {
  const [project] = (await troupe.projects.list()).items.filter(({ id }) => id === served.place.projectId)
  const environment = `${project!.slug}/development`
  const operations = { 'shop.charge': ({ n }: { n: number }) => n + 1 }
  const worker = troupe.worker({ environment, queue: 'billing', operations })
  expect((await world.called(served, 'shop.charge', { n: 1 })).output).toBe(2)
  await worker.stop()
  const lost = troupe.worker({ environment: `${project!.slug}/staging`, queue: 'billing', operations })
  await expect(lost.done).rejects.toThrow(`There is no Environment staging in the Project ${project!.slug}`)
  const misnamed = troupe.worker({ environment: 'shop', queue: 'billing', operations })
  await expect(misnamed.done).rejects.toThrow('An Environment is named project/kind')
})

test('lets calls end at SIGTERM, and then the process ends as signaled', async () => {
  const called = world.called(served, 'shop.charge', { n: 7 })
  const { projectId, environmentId } = served.place
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'terminated-worker.ts')], {
    env: {
      ...process.env,
      TROUPE_URL: world.url,
      TROUPE_KEY: world.key,
      PROJECT: projectId,
      ENVIRONMENT: environmentId,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  // it reports the beginning of the call
  await child.stdout.getReader().read()
  child.kill('SIGTERM')
  expect((await called).output).toBe('ended in peace')
  await child.exited
  expect(child.signalCode).toBe('SIGTERM')
})

/** A worker of the same queue whose requests can be observed and dropped. */
function watched(fetching: (path: string, send: () => Promise<Response>) => Promise<Response>) {
  const errors: unknown[] = []
  const asked: { leaving?: boolean; held?: string[] }[] = []
  const { projectId, environmentId } = served.place
  const watching = new Troupe({
    baseUrl: world.url,
    apiKey: world.key,
    fetch: (address, init) => {
      const path = String(address)
      if (path.endsWith('/leases')) asked.push(JSON.parse(String(init?.body)))
      return fetching(path, () => fetch(address, init))
    },
  })
  const place = { projectId, environmentId, queue: 'billing', onError: (error: unknown) => errors.push(error) }
  return { watching, place, errors, asked }
}

test('that waits stops at once, and deregisters', async () => {
  const { watching, place, errors, asked } = watched((_, send) => send())
  const worker = noted(watching.worker({ ...place, operations: { 'shop.charge': () => null } }))
  const { projectId, environmentId } = place
  const isListed = async () => {
    const { workers } = await troupe.workers.list({ projectId, environmentId })
    return workers.some(({ workerId }) => workerId === worker.workerId)
  }
  await eventually('the question at the server', isListed)
  await worker.stop()
  expect([asked.map(({ leaving = false }) => leaving), errors]).toEqual([[false, true], []])
  expect(await isListed()).toBe(false)
})

test('gets a call again, once, after the answer with it was lost', async () => {
  let lost = 0
  const { watching, place, errors, asked } = watched(async (path, send) => {
    const answer = await send()
    if (!path.endsWith('/leases') || answer.status !== 200 || lost > 0) return answer
    lost += 1
    await answer.text()
    throw new TypeError('The connection broke.')
  })
  const attempts: number[] = []
  const charge: WorkerHandler = (_, { attempt }) => attempts.push(attempt)
  const worker = noted(watching.worker({ ...place, operations: { 'shop.charge': charge } }))
  expect(await world.called(served, 'shop.charge')).toMatchObject({ state: 'succeeded', output: 1 })
  await worker.stop()
  expect({ attempts, lost, errors: errors.length }).toEqual({ attempts: [1], lost: 1, errors: 1 })
  expect(asked[1]?.held).toEqual([])
})

test('sends concurrent answers together, and a refused one does not affect the others', async () => {
  let sent = 0
  const { watching, place, errors } = watched((path, send) => {
    if (path.endsWith('/complete')) sent += 1
    return send()
  })
  const ready = Promise.withResolvers<void>()
  let begun = 0
  const handler = async ({ n }: { n: number }) => {
    begun += 1
    if (begun === 8) ready.resolve()
    await ready.promise
    return n === 3 ? '\ud800' : n
  }
  const worker = noted(watching.worker({ ...place, slots: 8, operations: { 'shop.charge': handler } }))
  const calls = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => served.invoke('shop.charge', { input: { n } }))
  const made = await Promise.all(calls.filter((_, n) => n !== 3))
  expect(made.map(({ body }) => body.data.output)).toEqual([0, 1, 2, 4, 5, 6, 7])
  // all together, then one by one since one of them is malformed, whose refusal may come last
  await eventually('a refusal', () => errors.length > 0)
  expect({ sent, errors }).toMatchObject({ sent: 9, errors: [{ status: 422 }] })
  await worker.stop()
})

test('an answer that JSON does not have leaves the others and the worker alone', async () => {
  const errors: unknown[] = []
  const circular: unknown[] = []
  circular.push(circular)
  const outputs = [circular, 1n, 'plain']
  const handler: WorkerHandler<{ n: number }> = ({ n }) => outputs[n]
  const worker = working({ 'shop.charge': handler }, { onError: (error) => errors.push(error) })
  const lost = [0, 1].map((n) => world.called(served, 'shop.charge', { n }))
  await eventually('both errors', () => errors.length === 2)
  expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError)])
  expect((await world.called(served, 'shop.charge', { n: 2 })).output).toBe('plain')
  expect((await Promise.all(lost)).map(({ state }) => state)).toEqual(['unknown', 'unknown'])
  await worker.stop()
})

test('reports an exception whose text the server would refuse', async () => {
  const texts = [`${'a'.repeat(1_999)}\u{1f600}`, 'a\0b', '']
  const worker = working({
    'shop.charge': ({ n }: { n: number }) => {
      throw new TroupeError('not a code', texts[n] as string)
    },
  })
  const made = await Promise.all(texts.map((_, n) => world.called(served, 'shop.charge', { n })))
  expect(made.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
  expect(made[1]!.error?.message).toBe('shop.charge: handler_failed: a\ufffdb')
  await worker.stop()
})

test('executes calls, up to its number of slots, and answers each', async () => {
  let running = 0
  let most = 0
  const full = Promise.withResolvers<void>()
  const charge: WorkerHandler<{ n: number }> = async ({ n }) => {
    running += 1
    most = Math.max(most, running)
    if (running === 3) full.resolve()
    await full.promise
    await Bun.sleep(20)
    running -= 1
    return n * 2
  }
  const worker = working({ 'shop.charge': charge }, { slots: 3 })
  const made = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => world.called(served, 'shop.charge', { n })))
  expect(made.map(({ output }) => output)).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
  expect(most).toBe(3)
  await worker.stop()
  expect(worker.running).toBe(0)
})

test('keeps a call that takes longer than a lease', async () => {
  const worker = working({ 'shop.charge': () => Bun.sleep(leaseMs * 1.5) })
  expect(await world.called(served, 'shop.charge')).toMatchObject({ state: 'succeeded', output: null })
  await worker.stop()
})

test('reports the exception of a handler, which is retried if it says so', async () => {
  const attempts: number[] = []
  const worker = working({
    'shop.charge': () => {
      throw new Error('No funds.')
    },
    'shop.look': (_, { attempt }) => {
      attempts.push(attempt)
      if (attempt === 1) throw new RetryLater('Busy.')
      return 'seen'
    },
  })
  expect(await world.called(served, 'shop.charge')).toMatchObject({
    state: 'failed',
    error: { message: 'shop.charge: handler_failed: No funds.' },
  })
  expect(await world.called(served, 'shop.look')).toMatchObject({ state: 'succeeded', output: 'seen' })
  expect(attempts).toEqual([1, 2])
  await worker.stop()
})

test('a stop waits for calls in progress, and leaves the others', async () => {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const handler = async () => {
    begun.resolve()
    await end.promise
    return 'done'
  }
  const worker = working({ 'shop.charge': handler }, { slots: 1 })
  const first = world.called(served, 'shop.charge')
  await begun.promise
  const stopped = worker.stop()
  const second = world.called(served, 'shop.charge')
  end.resolve()
  await stopped
  expect((await first).output).toBe('done')
  const lease = await world.leased(served)
  await world.complete(served, lease, { output: 'by another' })
  expect((await second).output).toBe('by another')
})

test.each([
  ['finishes', 'succeeded'],
  ['throws the abort', 'unknown'],
])('is told that a call is canceled: one that %s is %s', async (how, state) => {
  const begun = Promise.withResolvers<void>()
  const worker = working({
    'shop.charge': (_, { signal }) => {
      begun.resolve()
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => (how === 'finishes' ? resolve('charged') : reject(signal.reason)))
      })
    },
  })
  const started = await world.start(served.place, served.agent.agentId, '/call charge {}\n/say Done')
  await begun.promise
  const agentRunId = started.body.data.id
  await world.owner.post(`/api/v1/agent-runs/${agentRunId}/cancel`)
  await worker.stop()
  const { items } = await data<{ items: { id: string }[] }>(
    world.owner.get(served.invocations, { query: { agentRunId } }),
  )
  expect((await world.invocationEnded(served, items[0]!.id)).state).toBe(state)
})

test('a worker that the server refuses permanently ends with the reason', async () => {
  const { body } = await world.owner.post('/api/v1/api-keys', { name: 'runs', operations: ['agent-runs:*'] })
  const other = new Troupe({ baseUrl: world.url, apiKey: body.data.secret })
  const { projectId, environmentId } = served.place
  const worker = other.worker({ projectId, environmentId, queue: 'billing', operations: { 'shop.look': () => 1 } })
  await expect(worker.done).rejects.toMatchObject({ status: 403 })
})

test('calls of a killed worker are executed by another one', async () => {
  const { projectId, environmentId } = served.place
  const options = { baseUrl: world.url, apiKey: world.key, projectId, environmentId }
  const killed = Bun.spawn([process.execPath, `${import.meta.dir}/killed-worker.ts`, JSON.stringify(options)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const called = world.called(served, 'shop.look')
  await killed.stdout.getReader().read()
  killed.kill('SIGKILL')
  await killed.exited
  const worker = working({ 'shop.look': (_, { attempt }) => attempt })
  expect(await called).toMatchObject({ state: 'succeeded', output: 2 })
  await worker.stop()
  await eventually('nobody at work', async () => {
    const { queues } = await troupe.workers.list({ projectId, environmentId })
    return queues.every(({ waiting, leased }) => waiting + leased === 0)
  })
})

test.each([{ slots: 0 }, { slots: 101 }, { operations: {} }])('%j is refused', (options) => {
  expect(() => working({ 'shop.look': () => 1 }, options)).toThrow(TypeError)
})
