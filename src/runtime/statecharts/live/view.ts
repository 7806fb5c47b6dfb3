/** The view of an actor for its readers: its state, the possible events, its history. Source: contract 9. */
import { listTimers } from '../../../../storage/runtime/actors.ts'
import { listTransitions } from '../../../../storage/runtime/journal.ts'
import type { Actor, Address } from '../../kind.ts'
import { type PendingTimer, presentTimer, presentTransition, type Transition } from '../../transition.ts'
import type { Lookups } from '../lookups.ts'
import type { Watch } from './watch.ts'

/** The most journal entries in a view. */
export const journalLength = 100
/** The most reads of an actor that changes during the read. */
const readsMax = 3

export interface ActorView {
  address: Address
  machineVersion: string
  state: string
  version: number
  context: Record<string, unknown>
  timers: PendingTimer[]
  nextEvents: string[]
  /** The latest entries, ascending. */
  journal: Transition[]
}

/** The deadlines that run while the actor is in this state. */
export async function listPendingTimers(
  watch: Watch,
  lookups: Lookups,
  id: string,
  state: string,
): Promise<PendingTimer[]> {
  const { store } = watch.parts
  const timers = await store.all(listTimers(store, { kind: watch.kind, actorId: id }))
  const events = lookups.nextEvents(state)
  return timers.filter(({ name }) => events.includes(name)).map(presentTimer)
}

interface Viewed {
  view: ActorView
  /** The last sequence number in the view. */
  sequence: number
  /** Whether the state is final. */
  isEnded: boolean
}

/** Throws `not_found` (404). */
export async function viewActor(watch: Watch, id: string): Promise<Viewed> {
  const { store } = watch.parts
  let actor = await watch.actor(id)
  for (let reads = 1; ; reads += 1) {
    const { version, sequence, context, row } = actor
    let { state } = actor
    const lookups = watch.lookups(row)
    const after = Math.max(0, sequence - journalLength)
    const [timers, journal] = await Promise.all([
      listPendingTimers(watch, lookups, id, state),
      listTransitions(store, { kind: watch.kind, actorId: id, after, limit: sequence - after }),
    ])
    const later: Actor = await watch.actor(id)
    if (later.version === version || reads === readsMax) {
      // another server may have moved it between the reads of its row and of its last transition
      if (later.version !== version) state = journal.at(-1)?.to_state ?? state
      const view = {
        address: { kind: watch.kind, id },
        machineVersion: lookups.table.version,
        state,
        version,
        context: watch.redact(context),
        timers,
        nextEvents: lookups.nextEvents(state),
        journal: journal.map(presentTransition),
      }
      return { view, sequence, isEnded: lookups.isTerminal(state) }
    }
    actor = later
  }
}
