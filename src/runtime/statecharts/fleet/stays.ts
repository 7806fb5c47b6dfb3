/**
 * How long actors that left a state had been in it: of the last thousand, for each Environment, Project and organization
 * apart. What is noted at a commit is stored some seconds later, in the background, so that it costs a move nothing; a
 * crash loses those seconds. Source: contract 13, "Fleet".
 */
import { type FleetKind, fleetKinds, keepStays, placeOfKind, staysMax } from '../../../../storage/runtime/fleet.ts'
import type { Store } from '../../../../storage/store.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors, Notification } from '../../actors.ts'

const storedAfterMs = 2_000
/** More than these are not noted until some are stored. */
const notedMax = 20_000

/** The columns that say where an actor is, as every kind's row has them. */
interface PlaceColumns {
  id?: string
  organization_id: string
  project_id?: string | null
  environment_id?: string | null
  /** Of a run of a workflow: the user that it is for. */
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

/** A run's row is a part of what is kept of it. */
const columnsOf = (row: unknown): PlaceColumns => (row as { row?: PlaceColumns }).row ?? (row as PlaceColumns)

/** What the stay is one of. */
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
    for (const kind of fleetKinds) parts.actors.subscribe({ kind }, (told) => this.#note(kind, told))
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
    // a run for a user is not shown to others
    if (this.#noted.length >= notedMax || (row.actor_user_id ?? null) !== null) return
    this.#noted.push({ kind, row, state, milliseconds })
    if (this.#timer || this.#stopped) return
    this.#timer = this.#parts.clock.after(storedAfterMs, () => {
      this.#timer = undefined
      void this.store()
    })
  }

  /** Stores what has been noted; never throws. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(async () => {
      const noted = this.#noted
      this.#noted = []
      for (const group of grouped(noted)) {
        await this.#append(group).catch((error) => this.#parts.onError(error, 'how long states last'))
      }
    })
    return this.#storing
  }

  async #append({ milliseconds, ...key }: Group) {
    const { background } = this.#parts.store
    const last = milliseconds.slice(-staysMax)
    await background.commit([keepStays(background, { ...key, milliseconds: JSON.stringify(last) })], null)
  }

  /** Stores what has been noted, and notes nothing more. */
  async stop() {
    this.#stopped = true
    this.#timer?.cancel()
    await this.store()
  }
}

function grouped(stays: readonly Stay[]): Iterable<Group> {
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
  return groups.values()
}
