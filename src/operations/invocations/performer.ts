/**
 * Performances of invocations by this process: each is begun by the commit that made it this process's, and its outcome is
 * told to the invocation. What is broken off is told by nobody; whoever starts next finds it and decides. Source: contract
 * 5, "not repeated"; contract 6.
 */
import type { InvocationContext } from '../../../machines/operation-invocation.ts'
import type { InvocationRow } from '../../../storage/tables.ts'
import type { Bundles } from '../../deployments/bundles.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { By } from '../../runtime/kind.ts'
import { isOver, isStoreAway } from '../../runtime/refusals.ts'
import { bindingUnavailable, OperationFailure } from '../failure.ts'
import type { Operations } from '../operations.ts'
import { type InvocationActor, invocationAddress } from './actor.ts'

export interface PerformerParts {
  /** The name of this process among those that may perform. */
  name: string
  clock: Clock
  actors: Actors
  bundles: Bundles
  operations: Operations
  onError(error: unknown, what: string): void
}

type Report =
  | { type: 'performed'; output: unknown }
  | { type: 'failed'; cause: { code: string; message: string }; conflict: string | null }
  | { type: 'lost'; cause: { code: string; message: string } }

/** While the store is away. */
const againMs = 1_000

export class Performer {
  readonly #under = new Set<Promise<void>>()
  readonly #stopped = new AbortController()

  constructor(private readonly parts: PerformerParts) {}

  /** The performance is committed as this process's. */
  begin(id: string, performance: number): void {
    if (this.#stopped.signal.aborted) return
    const work = this.#perform(id, performance)
      .catch((error) => this.parts.onError(error, `the invocation ${id}`))
      .finally(() => this.#under.delete(work))
    this.#under.add(work)
  }

  /** Performances under way. */
  get size(): number {
    return this.#under.size
  }

  /** Waits for what is under way, but not for longer than this; then breaks it off. */
  async stop(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stopped.abort(new Error('The server stops.')), graceMs)
    await Promise.all(this.#under)
    clearTimeout(timer)
    this.#stopped.abort(new Error('The server stops.'))
  }

  async #perform(id: string, performance: number): Promise<void> {
    const { actors, name } = this.parts
    const actor = await actors.read<InvocationRow, InvocationContext>(invocationAddress(id))
    const isOurs = actor?.context.performances === performance && actor.context.performer === name
    if (!isOurs || !actors.hasRow(actor, 'performed')) return
    const report = await this.#reportOf(actor)
    if (report) await this.#tell(id, { ...report, performance })
  }

  /** Undefined when it was broken off. */
  async #reportOf({ row, context }: InvocationActor): Promise<Report | undefined> {
    const { signal } = this.#stopped
    for (;;) {
      try {
        return { type: 'performed', output: await this.#make(row, signal) }
      } catch (error) {
        if (signal.aborted) return undefined
        if (error instanceof OperationFailure) {
          const { code, message, isUncertain, conflict } = error
          const cause = { code, message }
          return isUncertain
            ? { type: 'lost', cause }
            : { type: 'failed', cause, conflict: conflict?.currentState ?? null }
        }
        // nothing has been sent yet: what is looked up in the store is looked up before
        if (isStoreAway(error)) await this.#pause()
        else {
          this.parts.onError(error, `the operation ${row.operation}`)
          const cause = { code: 'tool_error', message: 'The operation failed unexpectedly.' }
          return context.repeatable ? { type: 'failed', cause, conflict: null } : { type: 'lost', cause }
        }
      }
    }
  }

  async #make(row: InvocationRow, signal: AbortSignal): Promise<unknown> {
    const bundle = await this.parts.bundles.find(row.deployment_id)
    const agent = bundle?.agent(row.agent_id)
    if (!bundle || !agent) throw bindingUnavailable('The Deployment of the call is gone.')
    return this.parts.operations.perform({
      bundle,
      agent,
      name: row.operation,
      input: JSON.parse(row.input) as unknown,
      callKey: row.id,
      by: { type: row.created_by_type as By['type'], id: row.created_by_id },
      signal,
    })
  }

  async #tell(id: string, report: Report & { performance: number }): Promise<void> {
    for (;;) {
      try {
        await this.parts.actors.send(invocationAddress(id), report)
        return
      } catch (error) {
        if (isOver(error)) return
        if (!isStoreAway(error) || this.#stopped.signal.aborted) throw error
        await this.#pause()
      }
    }
  }

  #pause(): Promise<void> {
    const { signal } = this.#stopped
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(againMs, resolve)
      signal.addEventListener('abort', () => {
        timer.cancel()
        resolve()
      })
    })
  }
}
