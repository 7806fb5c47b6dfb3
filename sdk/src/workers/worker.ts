/** A worker: functions that carry out operations whose handler names its queue. */
import { ApiError, ConnectionError, TroupeError } from '../client/errors.ts'
import { backOffMs, pause } from '../client/pause.ts'
import type { Resources } from '../generated/resources.ts'
import type { WorkerLeases } from '../generated/schemas.ts'
import { Heartbeat } from './heartbeat.ts'

export type WorkerLease = WorkerLeases['lease']

/** A call that a handler makes. */
export interface WorkerCall {
  invocationId: string
  /** `<definition>.<operation>` */
  operation: string
  /** How often the call was given to a worker, this time included. */
  attempt: number
  /** The same for each attempt: for services that know such keys. */
  idempotencyKey: string
  /** Aborted when the caller no longer wants the call, or when it is no longer this worker's. */
  signal: AbortSignal
}

/** Makes calls of one operation; what it gives is the output. */
export type WorkerHandler<Input = never> = (input: Input, call: WorkerCall) => unknown

export interface WorkerOptions {
  projectId: string
  environmentId: string
  queue: string
  /** By operation, `<definition>.<operation>`. The worker takes no others. */
  handlers: Readonly<Record<string, WorkerHandler>>
  /** How many calls it makes at a time: 1 to 100; default 10. */
  concurrency?: number
  /** What it is called in `GET …/workers`; default: a new name. */
  workerId?: string
  /** Hears of requests that failed and are tried again, and of answers that nobody took. */
  onError?: (error: unknown) => void
}

/** Thrown by a handler: nothing has happened, and another attempt may succeed. */
export class RetryLater extends TroupeError {
  override readonly name = 'RetryLater'

  constructor(message: string, options?: ErrorOptions) {
    super('retry_later', message, options)
  }
}

/** A request for calls is not broken off, since the server may have given one: the worker stops when it is answered. */
const waitSeconds = 2
const timeoutMs = 30_000
const answersMax = 5
const codeOf = (error: unknown) => (error instanceof TroupeError ? error.code : 'handler_failed')

/** What another time is no better: the key, the place or the request itself is wrong. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429 && error.status !== 409

export class Worker {
  readonly workerId: string
  /** Resolves when the worker has stopped; rejects when the server refuses it for good. */
  readonly done: Promise<void>
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #concurrency: number

  constructor(
    private readonly workers: Resources['workers'],
    private readonly options: WorkerOptions,
  ) {
    const { concurrency = 10, workerId = `worker-${crypto.randomUUID()}`, handlers } = options
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 100) {
      throw new TypeError('A worker makes 1 to 100 calls at a time.')
    }
    if (Object.keys(handlers).length === 0) throw new TypeError('A worker needs a handler for at least one operation.')
    this.#concurrency = concurrency
    this.workerId = workerId
    this.done = this.#work()
    // whoever looks at it hears of it
    this.done.catch(() => {})
  }

  /** How many calls it is making. */
  get running(): number {
    return this.#running.size
  }

  /** Takes no further calls, and resolves when those that it has are answered. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.done
  }

  async #work(): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      if (this.#running.size >= this.#concurrency) {
        await Promise.race(this.#running)
        continue
      }
      try {
        for (const lease of await this.#lease()) this.#begin(lease)
        failures = 0
      } catch (error) {
        if (isFinal(error)) {
          await Promise.all(this.#running)
          throw error
        }
        failures += 1
        this.options.onError?.(error)
        await pause(backOffMs(failures), this.#stopping.signal).catch(() => {})
      }
    }
    await Promise.all(this.#running)
  }

  async #lease(): Promise<WorkerLease[]> {
    const { projectId, environmentId, queue, handlers } = this.options
    const slots = this.#concurrency - this.#running.size
    const answer: WorkerLeases | undefined = await this.workers.leaseCalls(
      {
        projectId,
        environmentId,
        queue,
        workerId: this.workerId,
        slots,
        operations: Object.keys(handlers),
        waitSeconds,
      },
      { timeoutMs, maxRetries: 0 },
    )
    return answer ? [answer.lease, ...answer.more] : []
  }

  #begin(lease: WorkerLease): void {
    const running: Promise<void> = this.#make(lease)
      .catch((error) => this.options.onError?.(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #make({ token, expiresAt, input, ...call }: WorkerLease): Promise<void> {
    const { projectId, environmentId } = this.options
    const report = { projectId, environmentId, invocationId: call.invocationId, token }
    const heartbeat = new Heartbeat(expiresAt, () => this.workers.heartbeatCall(report, { maxRetries: 0 }))
    let answer: { output: unknown } | { error: { code: string; message: string; retryable: boolean } }
    try {
      const handler = this.options.handlers[call.operation] as WorkerHandler<unknown>
      answer = { output: (await handler(input, { ...call, signal: heartbeat.signal })) ?? null }
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 2_000) || 'It failed.'
      answer = { error: { code: codeOf(error), message, retryable: error instanceof RetryLater } }
    } finally {
      heartbeat.stop()
    }
    // another worker may have it, or it became unknown
    if (heartbeat.isLost) return
    await this.#answer(() => this.workers.completeCall({ ...report, ...answer }))
  }

  /** The same answer may be sent again. */
  async #answer(send: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await send()
        return
      } catch (error) {
        const isLost = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
        if (!isLost || attempt === answersMax) throw error
        await pause(backOffMs(attempt))
      }
    }
  }
}
