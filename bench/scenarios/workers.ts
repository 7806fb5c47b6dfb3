/**
 * Calls of operations that workers execute: callers invoke an operation and wait for its end, and workers in this
 * process lease the calls and answer them at once. First at the largest rate, then at a low one, for the delay from the
 * instant in a call's id, at which it was made, to its worker. The server has no runner, so that nothing else is
 * measured.
 */
import type { Plan } from '../compare.ts'
import { deployAgent } from '../environments.ts'
import { Connection, requestBytes } from '../http-client.ts'
import { load, percentiles } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { ask, same } from '../troupe.ts'

export const callers = 256
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

/** The same call without a worker. */
const echo = { ...operation, name: 'echo', handler: { type: 'echo' } }

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

/** This many workers until they are stopped: like the SDK's, each sends concurrent answers together. */
function startWorkers({ port, key }: Server, path: string, count: number) {
  const lagsMs: number[] = []
  let stopped = false
  const work = async (index: number) => {
    const [asking, answering] = await Promise.all([Connection.open(port), Connection.open(port)])
    let answers: { invocationId: string; token: string; output: null }[] = []
    let sending: Promise<void> | undefined
    let held = 0
    const send = async () => {
      while (answers.length > 0) {
        const some = answers
        answers = []
        await ask(answering, requestBytes('POST', `${path}/workers/complete`, { key, body: { answers: some } }))
        held -= some.length
      }
      sending = undefined
    }
    try {
      while (!stopped) {
        if (held === slots) await sending
        const body = { queue: 'work', workerId: `w${index}`, slots: slots - held, waitSeconds: 1 }
        const { status, body: given } = await asking.request(
          requestBytes('POST', `${path}/workers/leases`, { key, body }),
        )
        if (status === 204) {
          // a connection that has been silent for long is closed
          sending ??= ask(answering, requestBytes('GET', `${path}/workers`, { key })).then(send)
          continue
        }
        if (status !== 200) throw new Error(`A worker was answered ${status}: ${given.toString().slice(0, 300)}`)
        const { data } = JSON.parse(given.toString()) as { data: { lease: Lease; more: Lease[] } }
        for (const { invocationId, token } of [data.lease, ...data.more]) {
          lagsMs.push(Date.now() - madeAt(invocationId))
          held += 1
          answers.push({ invocationId, token, output: null })
        }
        sending ??= send()
      }
      await sending
    } finally {
      asking.close()
      answering.close()
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

/** This many workers, and the requests of callers. */
export async function startWorking(server: Server, count: number) {
  const { path, agentId } = await deployAgent(server, 'work', { shop: { operations: [operation, echo] } })
  const invoking = (name: 'work' | 'echo') => {
    const invoke = `${path}/agents/${agentId}/operations/shop.${name}/invoke`
    return same(requestBytes('POST', invoke, { key: server.key, body: { input: {} } }))
  }
  return { invoking, ...startWorkers(server, path, count) }
}

async function made(plan: Plan, count: number): Promise<Row> {
  const folder = freshFolder()
  const server = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' } })
  const { invoking, lagsMs, stop } = await startWorking(server, count)
  const { port } = server
  const invoke = invoking('work')
  await load({ port, clients: callers, durationMs: plan.roundMs }, invoke)
  const { perSecond, generator } = await load(
    { port, clients: callers, durationMs: plan.roundMs * plan.rounds },
    invoke,
  )
  const baseline = await load({ port, clients: callers, durationMs: plan.roundMs }, invoking('echo'))

  lagsMs.length = 0
  const connection = await Connection.open(port)
  for (let few = plan.quick ? 20 : 200; few > 0; few -= 1) {
    await invoke(connection, 0)
    await Bun.sleep(25)
  }
  connection.close()
  const [p50Ms, p99Ms] = percentiles(lagsMs, [0.5, 0.99])
  await stop()
  await server.stop()
  removeFolder(folder)
  return {
    what: `workers, ${count}: operations invoked, leased and answered; commit to the worker at 40 a second`,
    perSecond,
    p50Ms: p50Ms as number,
    p99Ms: p99Ms as number,
    ratio: perSecond / baseline.perSecond,
    baseline: 'echo',
    generator,
  }
}
