/**
 * Finds executions in the store that need something: those of servers that have died, and those of this server whose
 * hint was lost. Source: contract 5, "not repeated"; scale-out, I5.
 */
import type { InvocationContext } from '../../../../machines/operation-invocation.ts'
import { listPerformedElsewhere, listPerformedHere } from '../../../../storage/automation/invocations.ts'
import { listToAbort, listUnwanted } from '../../../../storage/automation/wanted-invocations.ts'
import type { Store } from '../../../../storage/store.ts'
import type { Members } from '../../../platform/members/members.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { slotsOf } from '../../../runtime/work-share.ts'
import type { Operations } from '../operations.ts'
import { eachFound, foundAtOnce } from './each-found.ts'
import type { InvocationExecutor } from './invocation-executor.ts'

export interface SweepParts {
  store: Store
  clock: Clock
  /** The servers of the store: the executions of a dead one are taken over. */
  members: Pick<Members, 'id' | 'slots' | 'look' | 'onChange'>
  operations: Pick<Operations, 'cancel'>
  executor: Pick<InvocationExecutor, 'beginUnheard' | 'abort'>
  /** Sends an event to an invocation, which may have ended. */
  send(id: string, event: { type: string; performer?: string; gone?: string }): Promise<void>
  /** Aborted when the server stops. */
  stopping: AbortSignal
  onError(error: unknown, what: string): void
}

const lookAgainMs = 10_000

const isCanceled = (context: string): boolean => (JSON.parse(context) as InvocationContext).canceled

export class InvocationSweeps {
  #unsubscribe = () => {}
  #takingOver: Promise<void> = Promise.resolve()
  /** After a failure. */
  #takingOverLater: { cancel(): void } | undefined
  #lookingAgain: { cancel(): void } | undefined

  constructor(private readonly parts: SweepParts) {}

  /** Continues the executions of processes that have died: earlier ones, and other servers. */
  async start(): Promise<void> {
    this.#unsubscribe = this.parts.members.onChange(() => void this.#takeOver())
    await this.#takeOver()
    // only with PostgreSQL are there other servers, and commits whose outcome was reported as unknown
    if (this.parts.store.engine === 'postgres') this.#lookAgain()
  }

  stop(): void {
    this.#unsubscribe()
    this.#takingOverLater?.cancel()
    this.#lookingAgain?.cancel()
  }

  #lookAgain(): void {
    const { clock, stopping, onError } = this.parts
    this.#lookingAgain = clock.after(lookAgainMs, () =>
      this.#lookAtOwn()
        .catch((error) => onError(error, 'the invocations of this process'))
        .finally(() => stopping.aborted || this.#lookAgain()),
    )
  }

  /** Begins executions that were assigned to this process without its knowledge, and aborts canceled ones. */
  #lookAtOwn(): Promise<void> {
    const { store, members, executor, send } = this.parts
    return this.#each(
      (after) => store.all(listPerformedHere(store, { performer: members.id, after, limit: foundAtOnce })),
      async (id, { context, is_unwanted }) => {
        if (isCanceled(context)) executor.abort(id)
        else if (Number(is_unwanted) === 1) await send(id, { type: 'cancel' })
        await executor.beginUnheard(id)
      },
    )
  }

  /** One at a time; changes during a check cause another, and so does a failure. Never throws. */
  async #takeOver(): Promise<void> {
    const { clock, stopping, onError } = this.parts
    const own = this.#takingOver
      .then(() => this.#continue())
      .catch((error) => {
        onError(error, 'the invocations of other processes')
        this.#takingOverLater?.cancel()
        if (!stopping.aborted) this.#takingOverLater = clock.after(lookAgainMs, () => void this.#takeOver())
      })
    this.#takingOver = own
    await own
  }

  async #continue(): Promise<void> {
    const { store, members, stopping, send } = this.parts
    const performer = members.id
    if (stopping.aborted) return
    // first, so that aborted performances are not repeated
    await this.#abortLeft()
    const slots = slotsOf(members)
    await this.#each(
      async (after) => {
        const found = await store.all(listPerformedElsewhere(store, { performer, slots, after, limit: foundAtOnce }))
        const living = await members.look()
        return found.map(({ id, performer: by }) => ({ id, gone: by !== null && living.has(by) ? null : by }))
      },
      async (id, { gone }) => {
        if (gone !== null) await send(id, { type: 'performerLost', performer, gone })
      },
    )
    await this.#each(
      (after) => store.all(listUnwanted(store, { after, limit: foundAtOnce })),
      (id) => send(id, { type: 'withdraw' }),
    )
  }

  /** Aborts calls of canceled runs. Canceling the run of such a call cancels the calls of that run too. */
  async #abortLeft(): Promise<void> {
    const { store, operations, send } = this.parts
    const seen = new Set<string>()
    for (let before = -1; before < seen.size; ) {
      before = seen.size
      await this.#each(
        (after) => store.all(listToAbort(store, { after, limit: foundAtOnce })),
        async (id) => {
          if (seen.has(id)) return
          seen.add(id)
          await operations.cancel(id)
          await send(id, { type: 'cancel' })
        },
      )
    }
  }

  /** An unreadable invocation does not stop the others. */
  #each<Found extends { id: string }>(
    read: (after: string) => Promise<Found[]>,
    work: (id: string, row: Found) => Promise<void>,
  ): Promise<void> {
    return eachFound(read, work, (error, id) => this.parts.onError(error, `the invocation ${id}`))
  }
}
