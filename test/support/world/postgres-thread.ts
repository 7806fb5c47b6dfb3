/** The thread that executes the statements of `postgres-rows.ts`, one after the other. */
import { type MessagePort, workerData } from 'node:worker_threads'
import { SQL } from 'bun'
import type { Answered, Asked } from './postgres-rows.ts'

const { port, answers } = workerData as { port: MessagePort; answers: Int32Array }
const connections = new Map<string, SQL>()

function connectionTo(address: string): SQL {
  const known = connections.get(address)
  if (known) return known
  // idle connections close: there are as many databases as tests
  const made = new SQL({ url: address, max: 1, idleTimeout: 5, bigint: true, connection: { lock_timeout: '5000' } })
  connections.set(address, made)
  return made
}

/** The values as SQLite returns them. */
const plain = (value: unknown) => (typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : value)

async function carryOut({ address, sql, parameters }: Asked): Promise<Answered> {
  try {
    const rows = [...(await connectionTo(address).unsafe(sql, [...parameters]))] as Record<string, unknown>[]
    return {
      rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))),
    }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

let before: Promise<unknown> = Promise.resolve()
port.on('message', (asked: Asked) => {
  before = before.then(async () => {
    port.postMessage(await carryOut(asked))
    Atomics.add(answers, 0, 1)
    Atomics.notify(answers, 0)
  })
})
