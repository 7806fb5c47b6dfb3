/**
 * The time that actors spent in a state before they left it: of the last thousand, separately for each Environment,
 * Project and organization. A commit only notes a stay; it is stored some seconds later in the background, so that it
 * costs a transition nothing. A crash loses those seconds. Source: contract 13, "Fleet".
 */
import { type FleetKind, fleetKinds, keepStays, placeOfKind, staysMax } from '../../../../storage/runtime/fleet.ts'
import type { Store } from '../../../../storage/store.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors, Notification } from '../../actors.ts'

const storedAfterMs = 2_000
/** The most notes that wait to be stored; further ones are dropped. */
const notedMax = 20_000
/** The rows that a unit of work changes: few, so that it does not delay others. */
const groupsOfUnit = 10

/** The columns with the actor's place, the same in the rows of every kind. */
interface PlaceColumns {
  id?: string
  organization_id: string
  project_id?: string | null
  environment_id?: string | null
  /** Only of a run of a workflow: the user that it runs for. */
  actor_user_id?: string | null
}

interface Stay {
  kind: FleetKind
  row: PlaceColumns
  state: string
  milliseconds: number
}

/** One row of the store. */
interface Group {
  kind: FleetKind
  place: string
  state: string
  milliseconds: number[]
}

export interface StayParts {
  store: Store
  clock: Clock
  actors: Actors
  onError(error: unknown, what: string): void
}

/** The row of a run is nested in its record. */
const columnsOf = (row: unknown): PlaceColumns => (row as { row?: PlaceColumns }).row ?? (row as PlaceColumns)

/** The parts to which the stay counts. */
function placesOf({ kind, row }: Stay): string[] {
  const { organization_id: organization, project_id: project = null } = row
  if (placeOfKind(kind) === 'organization') return [organization]
  const environment = (kind === 'environment' ? row.id : row.environment_id) ?? null
  return [organization, project, environment].filter((place) => place !== null)
}

export class StateStays {
  readonly #parts: StayParts
  #noted: Stay[] = []
  #timer: { cancel(): void } | undefined
  #storing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(parts: StayParts) {
    this.#parts = parts
    for (const kind of fleetKinds) parts.actors.subscribe({ kind }, (notification) => this.#note(kind, notification))
  }

  #note(kind: FleetKind, { actor, moves, before }: Notification) {
    let since = before?.since
    for (const { from, event, sequence } of moves) {
      if (sequence === null) continue
      if (from !== null && since !== undefined) this.#add(kind, actor.row, from, Math.max(0, event.at - since))
      since = event.at
    }
  }

  #add(kind: FleetKind, given: unknown, state: string, milliseconds: number) {
    const row = columnsOf(given)
    // a run for a user is not shown to other users
    if (this.#noted.length >= notedMax || (row.actor_user_id ?? null) !== null) return
    this.#noted.push({ kind, row, state, milliseconds })
    if (this.#timer || this.#stopped) return
    this.#timer = this.#parts.clock.after(storedAfterMs, () => {
      this.#timer = undefined
      void this.store()
    })
  }

  /** Stores the notes; never throws. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(async () => {
      const noted = this.#noted
      this.#noted = []
      const groups = grouped(noted)
      while (groups.length > 0) {
        const some = groups.splice(0, groupsOfUnit)
        await this.#append(some).catch((error) => this.#parts.onError(error, 'how long states last'))
      }
    })
    return this.#storing
  }

  async #append(groups: readonly Group[]) {
    const { background } = this.#parts.store
    const writes = groups.map(({ milliseconds, ...key }) =>
      keepStays(background, { ...key, milliseconds: JSON.stringify(milliseconds.slice(-staysMax)) }),
    )
    await background.commit(writes, null)
  }

  /** Stores the notes and stops taking new ones. */
  async stop() {
    this.#stopped = true
    this.#timer?.cancel()
    await this.store()
  }
}

/** Ordered by row: units of servers that share a store lock the rows in the same order. */
function grouped(stays: readonly Stay[]): Group[] {
  const groups = new Map<string, Group>()
  for (const stay of stays) {
    for (const place of placesOf(stay)) {
      const { kind, state } = stay
      const key = `${place}/${kind}/${state}`
      const group = groups.get(key) ?? { kind, place, state, milliseconds: [] }
      groups.set(key, group)
      group.milliseconds.push(stay.milliseconds)
    }
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}
