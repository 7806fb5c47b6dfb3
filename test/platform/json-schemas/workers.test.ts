/** The workers: fair, replaced, and ended when idle. */
import { afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SchemaFailure } from '../../../src/platform/json-schemas/check-result.ts'
import type { Answer, Request } from '../../../src/platform/json-schemas/protocol.ts'
import type { SchemaWorker } from '../../../src/platform/json-schemas/worker.ts'
import { SchemaWorkers } from '../../../src/platform/json-schemas/workers.ts'

const opened: SchemaWorkers[] = []
function open(): SchemaWorkers {
  const workers = new SchemaWorkers()
  opened.push(workers)
  return workers
}
afterEach(() => {
  for (const workers of opened.splice(0)) workers.close()
})

const unique = { type: 'compile', key: 'unique', schema: { uniqueItems: true } } satisfies Request
const objects = (count: number) => Array.from({ length: count }, (_, at) => ({ at }))

/** Compiles the schema, and checks that this many items are unique. */
const comparing =
  (count: number, msMax: number) =>
  async (worker: SchemaWorker): Promise<Answer> => {
    await worker.ask(unique, 10_000)
    return worker.ask({ type: 'check', key: 'unique', value: objects(count) }, msMax)
  }
const costly = comparing(20_000, 50)
const cheap = comparing(3, 10_000)
const result: Answer = { type: 'result', result: { problem: null, faults: [] } }

test('a check that takes too long is killed, and the next one has a new worker', async () => {
  const workers = open()
  await expect(workers.run('org_a', costly)).rejects.toMatchObject({ code: 'schema_too_costly' })
  expect(await workers.run('org_a', cheap)).toEqual(result)
  expect(workers.size).toBe(1)
})

test('a check that uses too much memory is killed', async () => {
  const workers = open()
  const bomb = async (worker: SchemaWorker) => {
    await worker.ask(unique, 10_000)
    return worker.ask({ type: 'check', key: 'unique', value: objects(20_000) }, 10_000, { bytesMax: 1_048_576 })
  }
  await expect(workers.run('org_a', bomb)).rejects.toThrow(/too much memory/)
  expect(await workers.run('org_a', cheap)).toEqual(result)
})

test('a check whose worker gets no processor time says nothing about the schema', async () => {
  const workers = open()
  const starved = async (worker: SchemaWorker) => {
    await worker.ask(unique, 10_000)
    process.kill(worker.pid, 'SIGSTOP')
    return worker.ask({ type: 'check', key: 'unique', value: [] }, 10_000, { elapsedMax: 100 })
  }
  await expect(workers.run('org_a', starved)).rejects.toMatchObject({ code: 'schema_check_unavailable' })
  expect(await workers.run('org_a', cheap)).toEqual(result)
})

test('the exit of a worker fails no check', async () => {
  const workers = open()
  let tries = 0
  const dying = async (worker: SchemaWorker) => {
    tries += 1
    if (tries === 1) worker.end()
    return cheap(worker)
  }
  expect(await workers.run('org_a', dying)).toEqual(result)
  expect(tries).toBe(2)
})

test('a check that crashes each worker fails, and the next one does not', async () => {
  const workers = open()
  const deadly = (worker: SchemaWorker) => {
    worker.end()
    return cheap(worker)
  }
  await expect(workers.run('org_a', deadly)).rejects.toMatchObject({ code: 'schema_check_unavailable' })
  expect(await workers.run('org_a', cheap)).toEqual(result)
})

test('an organization whose checks are killed delays only itself', async () => {
  const workers = open()
  const ended: string[] = []
  const run = (organizationId: string, work: typeof costly) =>
    workers
      .run(organizationId, work)
      .catch((error) => expect(error).toBeInstanceOf(SchemaFailure))
      .then(() => ended.push(organizationId))
  const all = [1, 2, 3, 4, 5].map(() => run('costly', costly))
  for (let time = 0; time < 3; time += 1) await run('other', cheap)
  // the one in progress may have ended meanwhile, and another one while workers start
  expect(ended.filter((organizationId) => organizationId === 'costly').length).toBeLessThan(5)
  expect(workers.size).toBeLessThanOrEqual(2)
  await Promise.all(all)
  expect(ended).toHaveLength(8)
})

test('the organization with the least use goes first, whoever came first', async () => {
  const workers = open()
  await workers.run('used', costly).catch(() => {})
  const ended: string[] = []
  const gate = Promise.withResolvers<void>()
  // both workers are busy
  const taken = ['x', 'y'].map((id) => workers.run(id, () => gate.promise))
  const waiting = ['used', 'fresh'].map((id) => workers.run(id, async () => ended.push(id)))
  gate.resolve()
  await Promise.all([...taken, ...waiting])
  expect(ended).toEqual(['fresh', 'used'])
})

test('a limited number of checks of one organization wait', async () => {
  const workers = open()
  const gate = Promise.withResolvers<void>()
  const all = Array.from({ length: 201 }, () => workers.run('org_a', () => gate.promise))
  expect(() => workers.run('org_a', () => gate.promise)).toThrow(/Too many values are waiting/)
  const other = workers.run('org_b', cheap)
  gate.resolve()
  await Promise.all(all)
  expect(await other).toEqual(result)
})

test('no process is left after close, not even a busy one', async () => {
  const workers = open()
  const pids: number[] = []
  const noting = (work: (worker: SchemaWorker) => Promise<unknown>) => (worker: SchemaWorker) => {
    pids.push(worker.pid)
    return work(worker)
  }
  await workers.run('org_a', noting(cheap))
  const atWork = workers.run('org_a', noting(comparing(60_000, 60_000)))
  while (pids.length < 2) await Bun.sleep(5)
  workers.close()
  expect(workers.size).toBe(0)
  await expect(atWork).rejects.toMatchObject({ code: 'schema_check_unavailable' })
  for (const pid of pids) while (existsSync(`/proc/${pid}`)) await Bun.sleep(5)
})
