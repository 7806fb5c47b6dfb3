/**
 * Reads and writes rows of a PostgreSQL database synchronously, like those of a file: this thread waits until another
 * thread has executed the statement. For single statements that do not wait for anything in this process.
 */
import type { SQLQueryBindings } from 'bun:sqlite'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Rows } from './rows.ts'

interface Thread {
  worker: Worker
  port: MessagePort
  /** Incremented with each response. */
  answers: Int32Array
}

export interface Asked {
  address: string
  sql: string
  parameters: readonly unknown[]
}

export type Answered = { rows: Record<string, unknown>[] } | { failure: string }

const patienceMs = 20_000
let thread: Thread | undefined

/** One thread for all databases of this process. */
function start(): Thread {
  const { port1, port2 } = new MessageChannel()
  const answers = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./postgres-thread.ts', import.meta.url), {
    workerData: { port: port2, answers },
    transferList: [port2],
  })
  worker.unref()
  return { worker, port: port1, answers }
}

/** `?` is the next parameter, as in SQLite. */
function numbered(sql: string): string {
  let count = 0
  return sql.replace(/'[^']*'|\?/g, (found) => {
    if (found !== '?') return found
    count += 1
    return `$${count}`
  })
}

export class PostgresRows implements Rows {
  constructor(private readonly address: string) {}

  run(sql: string, ...parameters: SQLQueryBindings[]) {
    this.all(sql, ...parameters)
  }

  all<Row>(sql: string, ...parameters: SQLQueryBindings[]): Row[] {
    thread ??= start()
    const before = Atomics.load(thread.answers, 0)
    thread.port.postMessage({ address: this.address, sql: numbered(sql), parameters } satisfies Asked)
    if (Atomics.wait(thread.answers, 0, before, patienceMs) === 'timed-out')
      throw new Error(`PostgreSQL did not answer: ${sql}`)
    const { message } = receiveMessageOnPort(thread.port) as { message: Answered }
    if ('failure' in message) throw new Error(`${message.failure} (${sql})`)
    return message.rows as Row[]
  }

  close() {
    // its connection ends with the database
  }
}
