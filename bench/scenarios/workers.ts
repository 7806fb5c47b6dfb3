/**
 * Calls of operations that workers make: callers invoke an operation and wait for its end, and workers in this process lease
 * the calls and answer them at once. First as many as can be, then few, for how late each comes to its worker after the
 * instant in its id, at which it was made. The server has no runner, so that nothing else is measured.
 */
import type { Plan } from '../compare.ts'
import { deployAgent } from '../environments.ts'
import { Connection, requestBytes } from '../http-client.ts'
import { load, percentiles } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { ask, same } from '../troupe.ts'

const callers = 64
const slots = 20

const operation = {
  name: 'work',
  description: 'Is made by a worker.',
  inputSchema: { type: 'object' },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  handler: { type: 'worker', queue: 'work' },
}

interface Lease {
  invocationId: string
  token: string
}

export async function workers(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of [1, 10, 100]) rows.push(await made(plan, count))
  return rows
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** When the call was made: the first 48 bits of its id. */
function madeAt(id: string): number {
  let value = 0
  for (const digit of id.slice(4, 14)) value = value * 32 + alphabet.indexOf(digit)
  return value
}

/** So many workers, each on one connection, until they are stopped. */
function startWorkers({ port, key }: Server, path: string, count: number) {
  const lagsMs: number[] = []
  let stopped = false
  const work = async (index: number) => {
    const connection = await Connection.open(port)
    const body = { queue: 'work', workerId: `w${index}`, slots, waitSeconds: 1 }
    const lease = requestBytes('POST', `${path}/workers/leases`, { key, body })
    try {
      while (!stopped) {
        const { status, body: answer } = await connection.request(lease)
        if (status === 204) continue
        if (status !== 200) throw new Error(`A worker was answered ${status}: ${answer.toString().slice(0, 300)}`)
        const { data } = JSON.parse(answer.toString()) as { data: { lease: Lease; more: Lease[] } }
        for (const { invocationId, token } of [data.lease, ...data.more]) {
          lagsMs.push(Date.now() - madeAt(invocationId))
          const complete = `${path}/workers/invocations/${invocationId}/complete`
          await ask(connection, requestBytes('POST', complete, { key, body: { token, output: null } }))
        }
      }
    } finally {
      connection.close()
    }
  }
  const working = Promise.all(Array.from({ length: count }, (_, index) => work(index)))
  return {
    lagsMs,
    async stop() {
      stopped = true
      await working
    },
  }
}

async function made(plan: Plan, count: number): Promise<Row> {
  const folder = freshFolder()
  const server = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' } })
  const { path, agentId } = await deployAgent(server, 'work', { shop: { operations: [operation] } })
  const workers = startWorkers(server, path, count)
  const invoke = same(
    requestBytes('POST', `${path}/agents/${agentId}/operations/shop.work/invoke`, {
      key: server.key,
      body: { input: {} },
    }),
  )
  const { port } = server
  await load({ port, clients: callers, durationMs: plan.roundMs }, invoke)
  const { perSecond, generator } = await load(
    { port, clients: callers, durationMs: plan.roundMs * plan.rounds },
    invoke,
  )

  workers.lagsMs.length = 0
  const connection = await Connection.open(port)
  for (let few = plan.quick ? 20 : 200; few > 0; few -= 1) {
    await invoke(connection)
    await Bun.sleep(25)
  }
  connection.close()
  const [p50Ms, p99Ms] = percentiles(workers.lagsMs, [0.5, 0.99])
  await workers.stop()
  await server.stop()
  removeFolder(folder)
  return {
    what: `workers, ${count}: operations invoked, leased and answered; commit to the worker at 40 a second`,
    perSecond,
    p50Ms: p50Ms as number,
    p99Ms: p99Ms as number,
    generator,
  }
}
