/**
 * Removes expired actors in the background, each in its own unit of work, and the old moves of actors that live for
 * ever.
 */
import { hasLongJournal, removeActor, shortenJournal } from '../../storage/runtime/deletion-step.ts'
import { lastTransition, listOldRows, removeBeginning } from '../../storage/runtime/journal.ts'
import type { BackgroundStore, Query, Write } from '../../storage/store.ts'
import { forEach, inBatches } from '../platform/operating/batches.ts'
import type { Clock } from '../platform/time/clock.ts'
import { dayMs } from '../platform/time/durations.ts'
import type { Actors } from './actors.ts'
import type { Address } from './kind.ts'

export interface RemovalParts {
  store: BackgroundStore
  actors: Pick<Actors, 'forget'>
}

interface Expired {
  address(id: string): Address
  /** Expired actors, the oldest first. */
  list(limit: number): Promise<readonly { id: string }[]>
  /** Removes the row and its dependents, except the runtime's own rows. */
  remove(id: string): Write[]
}

/**
 * Removes up to `limit` actors with their journals; returns their number. An actor that is changing is left for the
 * next call.
 */
export const removeExpired = (
  { store, actors }: RemovalParts,
  { address, list, remove }: Expired,
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await list(some), async ({ id }) => {
      await store.commit([...remove(id), ...removeActor(store, address(id))])
      actors.forget(address(id))
    }),
  )

/** Removes an actor permanently; a long journal is first removed piece by piece. */
export async function removeForGood({ store, actors }: RemovalParts, actor: Address, writes: Write[]): Promise<void> {
  while (await hasLongJournal(store, actor)) await store.commit([shortenJournal(store, actor)])
  await store.commit(writes)
  actors.forget(actor)
}

/** The last moves of an actor stay in its journal, however old they are. */
const keptMovesMin = 1_000
const rowsAtOnce = 200

interface JournalParts {
  store: BackgroundStore
  clock: Pick<Clock, 'now'>
  /** How long moves are kept. */
  days: number
}

interface LivingActors {
  /** A kind that declares `forgetsMoves`. */
  kind: string
  /** The actors that still move, by id. */
  list(store: Pick<BackgroundStore, 'db'>, page: { after: string; limit: number }): Query<{ id: string }>
}

/** Removes old moves from the journals of actors that move on their own for as long as they exist. */
export class JournalRetention {
  #after = ''

  constructor(
    private readonly parts: JournalParts,
    private readonly actors: LivingActors,
  ) {}

  /** Looks at up to `limit` actors, continuing where the last call ended; returns their number. */
  async prune(limit: number): Promise<number> {
    const { store } = this.parts
    const found = await store.all(this.actors.list(store, { after: this.#after, limit }))
    for (const { id } of found) await this.#shorten(id)
    this.#after = found.length === limit ? (found.at(-1)?.id ?? '') : ''
    return found.length
  }

  async #shorten(actorId: string): Promise<void> {
    const { store, clock, days } = this.parts
    const actor = { kind: this.actors.kind, actorId }
    const last = await store.first(lastTransition(store, actor))
    const old = { ...actor, upTo: (last?.sequence ?? 0) - keptMovesMin, until: clock.now() - days * dayMs }
    while (old.upTo > 0) {
      const end = (await store.all(listOldRows(store, { ...old, limit: rowsAtOnce }))).at(-1)
      if (!end) break
      await store.commit([removeBeginning(store, { ...actor, upTo: end.sequence })], null)
    }
  }
}
