/** A worker: functions that execute operations whose handler names its queue. */
import { ApiError, ConnectionError, TroupeError } from '../client/errors.ts'
import { backOffMs, pause } from '../client/pause.ts'
import type { Resources } from '../generated/resources.ts'
import type { WorkerLeases } from '../generated/schemas.ts'
import { Answers, type WorkerAnswer } from './answers.ts'
import { Heartbeat } from './heartbeat.ts'
import { type Ids, idsOf, type WorkerPlace } from './place.ts'
import { onTermination } from './termination.ts'

type WorkerLease = WorkerLeases['lease']

/** A call for a handler. */
export interface WorkerCall {
  invocationId: string
  /** `<definition>.<operation>` */
  operation: string
  /** How often the call was leased, including this time. */
  attempt: number
  /** The same for each attempt, for services that support such keys. */
  idempotencyKey: string
  /**
   * Aborted when the caller is canceled, or the call no longer belongs to this worker. A canceled write that is not
   * `idempotent` should finish: its answer is the outcome. A handler that throws the abort gives no answer, so that
   * such a write becomes `unknown`.
   */
  signal: AbortSignal
}

/** Executes calls of one operation; the returned value is the output. */
export type WorkerHandler<Input = never> = (input: Input, call: WorkerCall) => unknown

export type WorkerOptions = WorkerPlace & {
  queue: string
  /** By operation, `<definition>.<operation>`. The worker leases no others. */
  operations: Readonly<Record<string, WorkerHandler>>
  /** The most concurrent calls: 1 to 100; default 10. */
  slots?: number
  /** Its name in `GET …/workers`; default: a new name. */
  workerId?: string
  /** Whether SIGTERM stops it after its calls in progress; default true, if there are signals. */
  stopsBySignal?: boolean
  /** Called with errors of requests that are retried, and of answers that were refused. */
  onError?: (error: unknown) => void
}

/** Thrown by a handler: nothing has taken effect, and another attempt may succeed. */
export class RetryLater extends TroupeError {
  override readonly name = 'RetryLater'

  constructor(message: string, options?: ErrorOptions) {
    super('retry_later', message, options)
  }
}

const waitSeconds = 20
const timeoutMs = 30_000
const attemptsMax = 5
/** Whether the handler ended because it was aborted: it does not know then whether it has taken effect. */
const isAbort = (error: unknown, { aborted, reason }: AbortSignal): boolean =>
  aborted && (error === reason || (error instanceof Error && (error.name === 'AbortError' || error.cause === reason)))

const codeForm = /^[a-zA-Z0-9_.-]{1,64}$/
const messageLengthMax = 2_000

/** The error of a handler in a form that the server accepts: it refuses U+0000 and halves of characters. */
function failureOf(error: unknown): NonNullable<WorkerAnswer['error']> {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, messageLengthMax)
  return {
    code: error instanceof TroupeError && codeForm.test(error.code) ? error.code : 'handler_failed',
    message: message.replace(/[\0\p{Surrogate}]/gu, '\ufffd') || 'It failed.',
    retryable: error instanceof RetryLater,
  }
}

/** Errors that a retry cannot fix: the key, the place or the request itself is wrong. */
const isFinal = (error: unknown): boolean =>
  (error instanceof TroupeError && error.code === 'environment_not_found') ||
  error instanceof TypeError ||
  (error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 429 &&
    error.status !== 409)

/** Once the server has answered at an address, another program there is a proxy of it that does not reach it now. */
const isOfProxy = (error: unknown): boolean => error instanceof ApiError && error.code === 'unexpected_answer'

export class Worker {
  readonly workerId: string
  /** Resolves when the worker has stopped; rejects if the server refuses it permanently. */
  readonly done: Promise<void>
  /** The calls in progress, by invocation. */
  readonly #running = new Map<string, Promise<void>>()
  /** A race of the calls would leave a listener at the longest one each time. */
  #onAnswered = () => {}
  readonly #stopping = new AbortController()
  readonly #slots: number
  readonly #answers: Answers
  #place: Promise<Ids> | undefined

  constructor(
    private readonly resources: Pick<Resources, 'workers' | 'projects' | 'environments'>,
    private readonly options: WorkerOptions,
  ) {
    const { slots = 10, workerId = `worker-${crypto.randomUUID()}`, operations, stopsBySignal = true } = options
    if (!Number.isInteger(slots) || slots < 1 || slots > 100) {
      throw new TypeError('A worker has 1 to 100 slots.')
    }
    if (Object.keys(operations).length === 0) {
      throw new TypeError('A worker needs a function for at least one operation.')
    }
    this.#slots = slots
    this.#answers = new Answers(async (answers) => {
      const { items } = await this.resources.workers.completeCalls({ ...(await this.#ids()), answers })
      return items
    })
    this.workerId = workerId
    this.done = this.#work().finally(stopsBySignal ? onTermination(() => void this.stop().catch(() => {})) : undefined)
    // reported when it is awaited
    this.done.catch(() => {})
  }

  /** The number of calls in progress. */
  get running(): number {
    return this.#running.size
  }

  /** Takes no further calls, and resolves when its calls in progress are answered. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.done
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping
    let isKnown = false
    try {
      for (let failures = 0; !signal.aborted; ) {
        if (this.#running.size >= this.#slots) {
          await new Promise<void>((resolve) => {
            this.#onAnswered = resolve
          })
          continue
        }
        try {
          await this.#take(failures > 0, signal)
          isKnown = true
          failures = 0
        } catch (error) {
          if (signal.aborted) break
          if (isFinal(error) && !(isKnown && isOfProxy(error))) throw error
          failures += 1
          this.options.onError?.(error)
          await pause(backOffMs(failures), signal).catch(() => {})
        }
      }
      await this.#leave()
    } finally {
      await Promise.all(this.#running.values())
    }
  }

  /** Recovers calls that the aborted request may have leased, and tells the server that the worker leaves. */
  async #leave(): Promise<void> {
    // it never sent a request
    if (!this.#place) return
    await this.#answered(() => this.#take(true, undefined, { leaving: true })).catch((error) => {
      this.options.onError?.(error)
    })
  }

  /** The ids of the Environment, looked up once. */
  #ids(): Promise<Ids> {
    this.#place ??= idsOf(this.resources, this.options)
    // a failed look-up is repeated
    this.#place.catch(() => {
      this.#place = undefined
    })
    return this.#place
  }

  /** Begins the leased calls. After a lost answer, the next request names the calls that the worker holds. */
  async #take(afterLoss: boolean, signal?: AbortSignal, more: { leaving?: boolean } = {}): Promise<void> {
    const { queue, operations } = this.options
    const place = await this.#ids()
    const answer: WorkerLeases | undefined = await this.resources.workers.leaseCalls(
      {
        ...place,
        queue,
        workerId: this.workerId,
        slots: Math.max(1, this.#slots - this.#running.size),
        operations: Object.keys(operations),
        ...(afterLoss && { held: [...this.#running.keys()] }),
        ...(more.leaving ? more : { waitSeconds }),
      },
      { timeoutMs, maxRetries: 0, ...(signal && { signal }) },
    )
    for (const lease of answer ? [answer.lease, ...answer.more] : []) this.#begin(lease)
  }

  #begin(lease: WorkerLease): void {
    const { invocationId } = lease
    const running = this.#make(lease)
      .catch((error) => this.options.onError?.(error))
      .finally(() => {
        this.#running.delete(invocationId)
        this.#onAnswered()
      })
    this.#running.set(invocationId, running)
  }

  async #make({ token, expiresAt, input, ...call }: WorkerLease): Promise<void> {
    const { workers } = this.resources
    const report = { ...(await this.#ids()), invocationId: call.invocationId, token }
    const heartbeat = new Heartbeat(expiresAt, () => workers.heartbeatCall(report, { maxRetries: 0 }))
    let answer: Pick<WorkerAnswer, 'output' | 'error'>
    try {
      const handler = this.options.operations[call.operation] as WorkerHandler<unknown>
      answer = { output: (await handler(input, { ...call, signal: heartbeat.signal })) ?? null }
    } catch (error) {
      if (isAbort(error, heartbeat.signal)) return
      answer = { error: failureOf(error) }
    } finally {
      heartbeat.stop()
    }
    // another worker may have it, or it became unknown
    if (heartbeat.isLost) return
    const { invocationId } = call
    await this.#answered(() => this.#answers.send({ invocationId, token, ...answer }))
  }

  /** Retried until it is answered, which is safe. */
  async #answered(send: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await send()
        return
      } catch (error) {
        const isLost = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
        if (!isLost || attempt === attemptsMax) throw error
        await pause(backOffMs(attempt))
      }
    }
  }
}
