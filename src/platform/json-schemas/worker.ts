/**
 * A worker: a process of its own, because only that can be ended in the middle of its work, whatever it does, and keeps its
 * memory to itself. (A thread of Bun goes on with a regular expression after `terminate()`, and shares the heap's limits.)
 */
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Answer, Request, ready } from './protocol.ts'
import { SchemaFailure } from './verdict.ts'

const startMsMax = 30_000
const lookEveryMs = 20
/** By the clock, for a worker that is given no time on the processor. */
const elapsedMsMax = 10_000
/** By the clock, where the system does not tell the time on the processor: so many times longer. */
const patience = 5
/** Of memory that it works in. A worker that has only kept more than half of it is replaced before its next request. */
const residentBytesMax = 268_435_456
/** Below the server's own: who waits for a check leaves the processor to who does not. */
const niceness = 5

/** Of this process. None of them outlives it. */
const running = new Set<Subprocess>()
process.on('exit', () => {
  for (const each of running) each.kill('SIGKILL')
})

/** This file may be part of a bundle: then the program of the workers is in a folder of its name, beside the bundle or above it. */
function program(): string {
  const folder = import.meta.dir
  const inBundle = 'platform/json-schemas/worker-main.js'
  const places = ['worker-main.ts', ...['', '../', '../../'].map((above) => above + inBundle)]
  const found = places.map((place) => join(folder, place)).find((path) => existsSync(path))
  if (!found) throw new Error(`There is no worker-main beside ${folder}.`)
  return found
}

/** The worker has ended before it answered, and nobody ended it for the request. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded'
}

export class SchemaWorker {
  readonly #process: Subprocess
  #answered: (answer: Answer) => void = () => {}
  #failed: (error: Error) => void = () => {}
  #hasEnded = false

  /** Starts one. Throws when it does not say that it is ready. */
  static async start(): Promise<SchemaWorker> {
    const worker = new SchemaWorker()
    const timer = setTimeout(() => worker.end(), startMsMax)
    try {
      await worker.#nextAnswer()
    } finally {
      clearTimeout(timer)
    }
    return worker
  }

  private constructor() {
    this.#process = Bun.spawn([process.execPath, '--smol', program()], {
      ipc: (message: Answer | typeof ready) => this.#answered(message as Answer),
      serialization: 'json',
      stdio: ['ignore', 'ignore', 'ignore'],
      // nothing of the server's secrets, and no `.env` of the folder that it was started in
      cwd: import.meta.dir,
      env: { NODE_ENV: process.env.NODE_ENV ?? '', BUN_ENABLE_CRASH_REPORTING: '0' },
      onExit: () => {
        this.#hasEnded = true
        running.delete(this.#process)
        this.#failed(new WorkerEnded('The worker has ended.'))
      },
    })
    running.add(this.#process)
    this.#process.unref()
    try {
      setPriority(this.#process.pid, niceness)
    } catch {
      // it may have ended already, or the system has no priorities
    }
  }

  #nextAnswer(): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#answered = resolve
    this.#failed = reject
    return promise
  }

  get pid(): number {
    return this.#process.pid
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether it has kept so much memory that another one had better take its place. */
  get isWorn(): boolean {
    return this.#residentBytes > residentBytesMax / 2
  }

  /**
   * What the worker says; one request at a time. Throws `SchemaFailure` when it took more processor time than `msMax`, or
   * too much memory: the worker has ended then. Throws `WorkerEnded` when it ended by itself.
   */
  async ask(request: Request, msMax: number, bytesMax = residentBytesMax): Promise<Answer> {
    if (this.#hasEnded) throw new WorkerEnded('The worker has ended.')
    const startedAt = performance.now()
    const usedBefore = this.#processorMs
    let excess: string | undefined
    const look = () => {
      const elapsed = performance.now() - startedAt
      const used = this.#processorMs
      const isLate =
        used === undefined || usedBefore === undefined ? elapsed > msMax * patience : used - usedBefore > msMax
      if (isLate || elapsed > Math.max(elapsedMsMax, msMax * patience)) excess = 'long'
      else if (this.#residentBytes > bytesMax) excess = 'much memory'
      if (excess) this.end()
    }
    const timer = setInterval(look, lookEveryMs)
    try {
      const answer = this.#nextAnswer()
      this.#send(request)
      return await answer
    } catch (error) {
      if (!excess) throw error
      const message = `Checking the value takes too ${excess}: send a smaller one, or publish a simpler schema.`
      throw new SchemaFailure('schema_too_costly', message, { cause: error })
    } finally {
      clearInterval(timer)
    }
  }

  /** What cannot be sent is never answered: the end of the worker says so. */
  #send(request: Request): void {
    try {
      this.#process.send(request)
    } catch {
      this.end()
    }
  }

  /** At once, whatever it is doing. */
  end(): void {
    this.#process.kill('SIGKILL')
  }

  /** On the processor, since its start; undefined where the system does not tell. */
  get #processorMs(): number | undefined {
    const nanoseconds = Number.parseInt(this.#read('schedstat') ?? '', 10)
    return Number.isNaN(nanoseconds) ? undefined : nanoseconds / 1e6
  }

  get #residentBytes(): number {
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(this.#read('status') ?? '')?.[1]
    return kibibytes === undefined ? 0 : Number(kibibytes) * 1_024
  }

  #read(file: string): string | undefined {
    try {
      return readFileSync(`/proc/${this.#process.pid}/${file}`, 'utf8')
    } catch {
      return undefined
    }
  }
}
