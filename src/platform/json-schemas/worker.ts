/**
 * A worker: a separate process, because only a process can be killed in the middle of its work and has its own memory. (A
 * thread of Bun continues a regular expression after `terminate()`, and shares the heap's limits.)
 */
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { SchemaFailure } from './check-result.ts'
import type { Answer, Request, ready } from './protocol.ts'

const startMsMax = 30_000
const lookEveryMs = 20
/** Wall-clock limit, for a worker that gets no processor time. */
const elapsedMsMax = 30_000
/** Factor for wall-clock limits where the system does not report processor time. */
const patience = 5
/** Resident memory. A worker that retains more than half of it is replaced before its next request. */
const residentBytesMax = 268_435_456
/** Lower priority than the server's. */
const niceness = 5

/** Bounds of a request; see the defaults above. */
interface Bounds {
  bytesMax?: number
  /** In milliseconds of the wall clock. */
  elapsedMax?: number
}

/** Why a worker was killed: the request exceeded a bound, or the machine left no time for it. */
const failures = {
  slow: ['schema_too_costly', 'Validating the value takes too long: send a smaller one, or publish a simpler schema.'],
  large: [
    'schema_too_costly',
    'Validating the value takes too much memory: send a smaller one, or publish a simpler schema.',
  ],
  starved: ['schema_check_unavailable', 'The server is too busy to validate the value. Send the request again later.'],
} as const

/** The workers of this process. They never outlive it. */
const running = new Set<Subprocess>()
process.on('exit', () => {
  for (const each of running) each.kill('SIGKILL')
})

/** The worker's program in a compiled server, which defines it. */
declare const compiledSchemaWorker: string | undefined

function program(): string {
  const compiled = typeof compiledSchemaWorker === 'string' ? compiledSchemaWorker : undefined
  return compiled !== undefined && existsSync(compiled) ? compiled : join(import.meta.dir, 'worker-main.ts')
}

/** The worker exited before it answered, without being killed for the request. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded'
}

export class SchemaWorker {
  readonly #process: Subprocess
  #answered: (answer: Answer) => void = () => {}
  #failed: (error: Error) => void = () => {}
  #hasEnded = false

  /** Starts a worker. Throws if it does not report that it is ready. */
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
      // without the server's secrets, and without the `.env` of its working directory
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
      // it may have exited already, or the system has no priorities
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

  /** Whether it retains so much memory that it should be replaced. */
  get isWorn(): boolean {
    return this.#residentBytes > residentBytesMax / 2
  }

  /**
   * The worker's answer; one request at a time. Throws `SchemaFailure`, and kills the worker, if the request takes more
   * processor time than `msMax`, too much memory, or too long because the worker gets no processor time. Throws
   * `WorkerEnded` if the worker exits by itself.
   */
  async ask(
    request: Request,
    msMax: number,
    { bytesMax = residentBytesMax, elapsedMax = Math.max(elapsedMsMax, msMax * patience) }: Bounds = {},
  ): Promise<Answer> {
    if (this.#hasEnded) throw new WorkerEnded('The worker has ended.')
    const startedAt = performance.now()
    const usedBefore = this.#processorMs
    let excess: keyof typeof failures | undefined
    const look = () => {
      const elapsed = performance.now() - startedAt
      const used = this.#processorMs
      const isLate =
        used === undefined || usedBefore === undefined ? elapsed > msMax * patience : used - usedBefore > msMax
      if (isLate) excess = 'slow'
      else if (elapsed > elapsedMax) excess = 'starved'
      else if (this.#residentBytes > bytesMax) excess = 'large'
      if (excess) this.end()
    }
    const timer = setInterval(look, lookEveryMs)
    try {
      const answer = this.#nextAnswer()
      this.#send(request)
      return await answer
    } catch (error) {
      if (!excess) throw error
      const [code, message] = failures[excess]
      throw new SchemaFailure(code, message, { cause: error })
    } finally {
      clearInterval(timer)
    }
  }

  /** A request that cannot be sent is never answered: the worker's exit reports it. */
  #send(request: Request): void {
    try {
      this.#process.send(request)
    } catch {
      this.end()
    }
  }

  /** Kills the worker at once. */
  end(): void {
    this.#process.kill('SIGKILL')
  }

  /** Processor time since its start; undefined if the system does not report it. */
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
