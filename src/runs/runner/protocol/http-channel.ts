/** Sends one attempt's reports over HTTP, one after another in order. Source: contract 5. */

import type { Clock } from '../../../platform/time/clock.ts'
import { ProviderFailure } from '../../providers/errors.ts'
import type { StepPart } from '../../providers/step.ts'
import { CallRefused, type ServerAnswer, type ServerCall, type ServerCalls } from './http-calls.ts'
import { streamOverHttp } from './http-model.ts'
import {
  type Assignment,
  type AttemptChannel,
  type CallAnswer,
  type CheckpointReport,
  type CompletionReport,
  type Lease,
  type LeasedAttempt,
  type ModelCall,
  type OperationCall,
  type Signal,
  StaleAttempt,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from './protocol.ts'

interface Queued {
  call: Pick<ServerCall, 'method' | 'path' | 'body'>
  resolve(data: unknown): void
  reject(error: unknown): void
}

/** An operation may take 120 s; the server waits for it and recognizes a repeated call. */
const operationMsMax = 150_000

/** Keeps a body well below the server's limit. */
const deltaCharactersMax = 100_000
const deltasMax = 1_000

export class HttpChannel implements AttemptChannel {
  readonly lease: Lease
  readonly assignment: Assignment
  readonly #token: string
  readonly #run: string
  readonly #attempt: string
  readonly #queue: Queued[] = []
  /** The server's requests become children of the run's span. */
  readonly #trace: Record<string, string>
  #sending = false
  #made = 0
  #expiresAt: number
  #stale: StaleAttempt | undefined
  #listener: ((signal: Signal) => void) | undefined

  constructor(
    { lease, attemptToken, assignment }: LeasedAttempt,
    private readonly calls: ServerCalls,
    private readonly clock: Clock,
    clockAheadMs: number,
  ) {
    this.lease = { ...lease, expiresAt: earlier(lease.expiresAt, clockAheadMs) }
    this.assignment = assignment
    this.#token = attemptToken
    const { traceparent, tracestate } = assignment
    this.#trace = { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
    this.#run = `/api/v1/agent-runs/${encodeURIComponent(lease.agentRunId)}`
    this.#attempt = `${this.#run}/attempts/${encodeURIComponent(lease.attemptId)}`
    this.#expiresAt = Date.parse(this.lease.expiresAt)
  }

  async boot(): Promise<void> {
    await this.#report('POST', '/boot', {})
  }

  /** Heartbeats do not wait for reports: a large report must not cost the lease. */
  async heartbeat(progress: { lastStepSequence: number }): Promise<{ expiresAt: string; signal: Signal }> {
    const { data, clockAheadMs } = await this.#make({
      method: 'POST',
      path: `${this.#attempt}/heartbeat`,
      body: progress,
    })
    const answer = data as { expiresAt: string; signal: Signal }
    const expiresAt = earlier(answer.expiresAt, clockAheadMs)
    this.#expiresAt = Date.parse(expiresAt)
    return { expiresAt, signal: answer.signal }
  }

  startStep(step: StepStart): Promise<{ agentStepId: number }> {
    return this.#report('POST', '/steps', step) as Promise<{ agentStepId: number }>
  }

  async endStep(agentStepId: number, update: StepUpdate): Promise<void> {
    await this.#report('PATCH', `/steps/${agentStepId}`, update)
  }

  checkpoint(agentStepId: number, report: CheckpointReport): Promise<{ checkpointId: number }> {
    return this.#report('POST', `/steps/${agentStepId}/checkpoints`, report) as Promise<{ checkpointId: number }>
  }

  async deltas(deltas: StepDelta[]): Promise<void> {
    await Promise.all(groupsOf(deltas).map((events) => this.#report('POST', '/events', { events })))
  }

  /** Independent of reports: neither waits for the other. */
  async callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer> {
    const request = { method: 'POST', path: `${this.#attempt}/operations`, body: call } as const
    const { data } = await this.#make({ ...request, signal, timeoutMs: operationMsMax })
    return data as CallAnswer
  }

  /** Uses the server's gateway: runners have no vendor keys. */
  streamModel({ agentStepId, messages, tools, signal }: ModelCall): AsyncIterable<StepPart> {
    const path = `${this.#attempt}/model/stream`
    const body = { agentStepId, messages, tools }
    return streamOverHttp({
      open: (heeded) =>
        this.#refusable(() =>
          this.calls.open({
            method: 'POST',
            path,
            body,
            signal: heeded,
            token: this.#token,
            trace: this.#trace,
            untimed: true,
            until: () => this.#expiresAt,
          }),
        ).catch((error) => {
          throw error instanceof CallRefused ? new ProviderFailure('provider_error', error.message) : error
        }),
      signal,
      clock: this.clock,
      onStopped: (asked) => this.#listener?.(asked),
    })
  }

  onSignal(listener: (signal: Signal) => void): void {
    this.#listener = listener
  }

  async complete(report: CompletionReport): Promise<void> {
    await this.#report('POST', '/complete', report)
  }

  #report(method: ServerCall['method'], path: string, body: unknown): Promise<unknown> {
    if (this.#stale) return Promise.reject(this.#stale)
    return new Promise((resolve, reject) => {
      this.#queue.push({ call: { method, path: this.#attempt + path, body }, resolve, reject })
      if (!this.#sending) void this.#sendAll()
    })
  }

  async #sendAll() {
    this.#sending = true
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        next.resolve((await this.#make(next.call, `${this.lease.attemptId}-${++this.#made}`)).data)
      } catch (error) {
        next.reject(error)
        // Later reports may depend on it.
        for (const { reject } of this.#queue.splice(0)) reject(error)
      }
    }
    this.#sending = false
  }

  #make(call: Omit<ServerCall, 'token' | 'until'>, idempotencyKey?: string): Promise<ServerAnswer> {
    return this.#refusable(() =>
      this.calls.make({
        ...call,
        token: this.#token,
        trace: this.#trace,
        idempotencyKey,
        until: () => this.#expiresAt,
      }),
    )
  }

  async #refusable<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work()
    } catch (error) {
      this.#stale ??= error instanceof StaleAttempt ? error : undefined
      // The run was deleted or the token is no longer valid: no report will be accepted.
      if (error instanceof CallRefused && [401, 403, 404].includes(error.status)) {
        this.#stale = new StaleAttempt(error.message, { cause: error })
      }
      throw this.#stale ?? error
    }
  }
}

/** Converts a time of the server's clock to the local clock. */
const earlier = (instant: string, ms: number) => (ms === 0 ? instant : new Date(Date.parse(instant) - ms).toISOString())

/** Splits deltas into groups of bounded size without splitting a character. */
function groupsOf(deltas: StepDelta[]): StepDelta[][] {
  const groups: StepDelta[][] = [[]]
  let room = deltaCharactersMax
  for (const delta of deltas) {
    let rest = delta.data.text.toWellFormed()
    while (rest !== '') {
      const cut = rest.length > room && isHighSurrogate(rest.charCodeAt(room - 1)) ? room - 1 : room
      const text = rest.slice(0, cut)
      groups.at(-1)!.push({ ...delta, data: { ...delta.data, text } })
      rest = rest.slice(cut)
      room -= text.length
      if (room > 1 && groups.at(-1)!.length < deltasMax) continue
      groups.push([])
      room = deltaCharactersMax
    }
  }
  return groups.filter((group) => group.length > 0)
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff
