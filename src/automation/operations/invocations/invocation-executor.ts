/**
 * Performs invocations in this process: each performance starts with the commit that assigned it to this process, and its
 * outcome is reported to the invocation. A call that must not be repeated is announced before it is sent. A performance
 * aborted by a stop reports nothing; the next process finds it, and the statechart decides whether it is made there.
 * Source: contract 5, "not repeated"; contract 6.
 */
import type { InvocationContext } from '../../../../machines/operation-invocation.ts'
import type { Cause } from '../../../../machines/words.ts'
import type { CanceledFate } from '../../../../machines/worker-call.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import type { Bundles } from '../../../delivery/deployments/bundles.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { pause } from '../../../platform/time/pause.ts'
import { readStoredSpan } from '../../../platform/tracing/own-span.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { By } from '../../../runtime/kind.ts'
import { isOver, isStoreAway } from '../../../runtime/refusals.ts'
import { bindingUnavailable, isIdempotent, OperationFailure } from '../failure.ts'
import type { Operations } from '../operations.ts'
import { type InvocationActor, invocationAddress } from './actor.ts'

export interface InvocationExecutorParts {
  /** The name of this process as a performer. */
  name: string
  clock: Clock
  actors: Actors
  bundles: Bundles
  operations: Operations
  onError(error: unknown, what: string): void
}

type Report =
  | { type: 'performed'; output: unknown }
  | { type: 'failed'; cause: Cause; conflict: string | null }
  | { type: 'lost'; cause: Cause }

interface UnderWay {
  work: Promise<void>
  /** Aborts the handler. */
  control: AbortController
  /** A write that must not be repeated was sent: only its answer tells whether it took effect. */
  isSent: boolean
}

/** The invocation is no longer at this execution: another process makes the call, or it has ended. */
const overtaken = new Error('The call was taken over.')

/** The delay of retries of what could not be stored. */
const againMs = 1_000

const notMade: Cause = { code: 'call_canceled', message: 'The call was not made: its caller was canceled.' }
const brokenOff: Cause = {
  code: 'call_canceled',
  message: 'The call was aborted: its caller was canceled. It may have taken effect.',
}

export class InvocationExecutor {
  readonly #underWay = new Map<string, UnderWay>()
  /** The executions that have begun here, until their outcome is reported. */
  readonly #begun = new Map<string, number>()
  readonly #stopped = new AbortController()

  constructor(private readonly parts: InvocationExecutorParts) {}

  /** The performance was committed as this process's. */
  begin(id: string, performance: number): void {
    if (this.#stopped.signal.aborted || this.#begun.get(id) === performance) return
    this.#begun.set(id, performance)
    const control = new AbortController()
    const underWay: UnderWay = { work: Promise.resolve(), control, isSent: false }
    this.#underWay.set(id, underWay)
    underWay.work = this.#perform(id, performance, underWay)
      .then(() => {
        if (this.#begun.get(id) === performance) this.#begun.delete(id)
      })
      .catch((error) => this.parts.onError(error, `the invocation ${id}`))
      .finally(() => {
        if (this.#underWay.get(id) === underWay) this.#underWay.delete(id)
      })
  }

  /** Begins the execution if it belongs to this process, which was not notified of its commit. */
  async beginUnheard(id: string): Promise<void> {
    if (this.#underWay.has(id)) return
    const actor = await this.#find(id)
    if (actor?.context.performer === this.parts.name && this.parts.actors.hasRow(actor, 'performed'))
      this.begin(id, actor.context.performances)
  }

  #find(id: string): Promise<InvocationActor | undefined> {
    return this.parts.actors.read<InvocationRow, InvocationContext>(invocationAddress(id))
  }

  /**
   * The caller was canceled. A write that was sent and must not be repeated finishes, anything else is aborted. The
   * outcome is still reported to the invocation. False: it is not executed here.
   */
  abort(id: string): boolean {
    const found = this.#underWay.get(id)
    if (found && !found.isSent) found.control.abort(new Error('The call is canceled.'))
    return found !== undefined
  }

  /** Running performances. */
  get size(): number {
    return this.#underWay.size
  }

  /** Waits up to `graceMs` for running performances, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abortAll(), graceMs)
    await Promise.all([...this.#underWay.values()].map(({ work }) => work))
    clearTimeout(timer)
    this.#abortAll()
  }

  #abortAll(): void {
    const reason = new Error('The server stops.')
    this.#stopped.abort(reason)
    for (const { control } of this.#underWay.values()) control.abort(reason)
  }

  async #perform(id: string, performance: number, underWay: UnderWay): Promise<void> {
    const { actors, name } = this.parts
    const actor = await this.#patiently(() => this.#find(id))
    const isOurs = actor?.context.performances === performance && actor.context.performer === name
    if (!isOurs || !actors.hasRow(actor, 'performed')) return
    if (actor.context.canceled) underWay.control.abort(new Error('The call is canceled.'))
    const report = await this.#reportOf(actor, performance, underWay)
    if (report) await this.#notify(id, { ...report, performance })
  }

  /** Undefined if the server stops, if the call was taken over, or if the outcome was reported with the answer. */
  async #reportOf(
    { row, context }: InvocationActor,
    performance: number,
    underWay: UnderWay,
  ): Promise<Report | undefined> {
    let { signal } = underWay.control
    const onSending = async () => {
      await this.#announce(row.id, performance)
      signal.throwIfAborted()
      underWay.isSent = true
    }
    let begun = context.performances > 1
    // what must not be repeated says when it is sent, and is taken over only before that
    const isDone = () => (context.repeatable ? begun : underWay.isSent)
    for (;;) {
      if (this.#stopped.signal.aborted) return undefined
      try {
        if (signal.aborted) {
          const fate = (await this.#cancelElsewhere(row.id)) ?? (isDone() ? 'begun' : 'unmade')
          if (fate === 'unmade' || fate === 'begun') return canceledReport(fate, await this.#isIdempotent(row))
          // its outcome is known, or its worker will tell
          signal = this.#stopped.signal
        }
        begun = true
        const output = await this.#make(row, signal, onSending)
        return output && { type: 'performed', ...output }
      } catch (error) {
        if (this.#stopped.signal.aborted || error === overtaken) return undefined
        if (error instanceof OperationFailure) {
          const { code, message, isUncertain, isAnswered, conflict } = error
          if (isAnswered && !(await this.#isIdempotent(row))) return { type: 'lost', cause: unusable(error) }
          const cause = { code, message }
          return isUncertain
            ? { type: 'lost', cause }
            : { type: 'failed', cause, conflict: conflict?.currentState ?? null }
        }
        if (isStoreAway(error)) {
          // nothing has been sent yet: all look-ups come first
          begun = context.performances > 1
          await pause(this.parts.clock, againMs, this.#stopped.signal)
        } else if (!signal.aborted) {
          this.parts.onError(error, `the operation ${row.operation}`)
          const cause = { code: 'tool_error', message: 'The operation failed unexpectedly.' }
          return outcomeless(cause, await this.#isIdempotent(row))
        }
      }
    }
  }

  /** Cancels what the call has started elsewhere; repeats that until it is stored, or the server stops. */
  #cancelElsewhere(id: string): Promise<CanceledFate | undefined> {
    const isTemporary = (error: unknown) => {
      if (!isStoreAway(error)) this.parts.onError(error, `the cancellation of ${id}`)
      return true
    }
    return this.#patiently(() => this.parts.operations.cancel(id), isTemporary)
  }

  /** Not if its Deployment was deleted or cannot be read. */
  async #isIdempotent({ deployment_id: deploymentId, operation: name }: InvocationRow): Promise<boolean> {
    const bundle = await this.#patiently(async () => this.parts.bundles.find(deploymentId)).catch(() => undefined)
    const operation = bundle?.operation(name)
    return operation !== undefined && isIdempotent(operation)
  }

  async #make(
    row: InvocationRow,
    signal: AbortSignal,
    onSending: () => Promise<void>,
  ): Promise<{ output: unknown } | undefined> {
    const bundle = await this.parts.bundles.find(row.deployment_id)
    const agent = bundle?.agent(row.agent_id)
    if (!bundle || !agent) throw bindingUnavailable('The Deployment of the call was deleted.')
    const { actors, operations } = this.parts
    const output = await operations.perform({
      bundle,
      agent,
      name: row.operation,
      input: JSON.parse(row.input) as unknown,
      agentRunId: row.agent_run_id,
      callKey: row.id,
      trace: readStoredSpan(row.trace)?.context ?? null,
      by: { type: row.created_by_type as By['type'], id: row.created_by_id },
      signal,
      onSending,
    })
    const now = actors.recall(invocationAddress(row.id))
    if (now && !actors.hasRow(now, 'performed')) return undefined
    await operations.assertOutput({ bundle, name: row.operation }, output)
    return { output }
  }

  /** Stores that the call is being sent; from then on no process makes it again. Throws `overtaken`. */
  async #announce(id: string, performance: number): Promise<void> {
    try {
      await this.parts.actors.send(invocationAddress(id), { type: 'sending', performance })
    } catch (error) {
      throw isOver(error) ? overtaken : error
    }
  }

  async #notify(id: string, report: Report & { performance: number }): Promise<void> {
    try {
      await this.#patiently(() => this.parts.actors.send(invocationAddress(id), report))
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Retries after temporary errors: while the store is unavailable, unless others are named. */
  async #patiently<Value>(work: () => Promise<Value>, isTemporary = isStoreAway): Promise<Value> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (this.#stopped.signal.aborted || !isTemporary(error)) throw error
        await pause(this.parts.clock, againMs, this.#stopped.signal)
      }
    }
  }
}

/** For an idempotent operation it does not matter whether it was done. */
const outcomeless = (cause: Cause, idempotent: boolean): Report =>
  idempotent ? { type: 'failed', cause, conflict: null } : { type: 'lost', cause }

const canceledReport = (fate: 'unmade' | 'begun', idempotent: boolean): Report =>
  fate === 'begun' ? outcomeless(brokenOff, idempotent) : { type: 'failed', cause: notMade, conflict: null }

const unusable = ({ code, message }: OperationFailure): Cause => ({
  code,
  message: `${message}${/[.!?…]$/.test(message) ? '' : '.'} The call has probably taken effect, and was not repeated.`,
})
