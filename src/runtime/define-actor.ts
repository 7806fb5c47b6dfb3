/** The definition of a kind of actor by its area: machine, table, effects and view. */
import type { AnyEventObject } from 'xstate'
import type { Query, Store, Write } from '../../storage/store.ts'
import type { Actor, ActorKind, Address, Applied, Change, Snapshot } from './kind.ts'

/** The snapshot columns in the table of a kind. */
interface ActorRow {
  state: string
  version: number
  machine_version: string
  /** JSON. */
  context: string
  created_at: number
  updated_at: number
}

/** The rules by which an actor is loaded and stored. */
type Rules = 'load' | 'snapshot' | 'apply'

/** A kind with its own rules for its row. */
type OwnDefinition<Row, Context, Event extends AnyEventObject> = Omit<ActorKind<Row, Context, Event>, 'kind'>

/** A kind whose rules follow from its table. */
interface ActorDefinition<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>
  extends Omit<ActorKind<Row, Context, Event>, 'kind' | Rules> {
  /** The table's statements; `update` compares the stored version with `from`. */
  table: {
    get(store: Store, key: { id: string }): Query<Row>
    /** May include preconditions of the commit, placed before the row. */
    insert(store: Store, row: Row): Write | Write[]
    update(store: Store, row: Row & { from: number }, change: Change<Row, Context, Event>): Write
  }
  /** Further columns that a change sets: copies of context fields, or data of its events. */
  columns?(context: Context, change: Change<Row, Context, Event>): Partial<Row>
  /** The columns of a new row that the statechart does not set. */
  seeded(seed: Seed, address: Address): Partial<Row>
  /** Statements that commit with a new row. */
  born?(row: Row, change: Change<Row, Context, Event> & { seed: Seed }, store: Store): Write[]
  /** Statements that commit with a changed row. */
  moved?(row: Row, change: Change<Row, Context, Event>, store: Store, before: Actor<Row, Context>): Write[]
}

/** Longer texts are read again each time they are needed: ten thousand actors stay in memory. */
const keptCharactersMax = 16_384

/** Whether an actor with these texts is small enough to stay in memory: for `isKept`. */
export const isSmall = (...texts: readonly (string | null)[]): boolean =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) <= keptCharactersMax

/** The snapshot in a row with the columns of `ActorRow`. */
export const snapshotOfRow = ({ state, version, machine_version, context }: ActorRow): Snapshot => ({
  state,
  version,
  machineVersion: machine_version,
  context,
})

/**
 * Builds the kind for the runtime: the rules for its row follow from its `table`, or from its own `load`, `snapshot`
 * and `apply`. Its name is the machine's id.
 */
export function defineActor<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>(
  definition: ActorDefinition<Row, Context, Event, Seed>,
): ActorKind<Row, Context, Event>
export function defineActor<Row, Context, Event extends AnyEventObject>(
  definition: OwnDefinition<Row, Context, Event>,
): ActorKind<Row, Context, Event>
export function defineActor<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>(
  definition: ActorDefinition<Row, Context, Event, Seed> | OwnDefinition<Row, Context, Event>,
): ActorKind<Row, Context, Event> {
  const kind = definition.machine.id
  if (!('table' in definition)) return { ...definition, kind }
  const { table, columns, seeded, born, moved, ...others } = definition
  const machineVersion = definition.machine.version ?? '1'

  function apply(change: Change<Row, Context, Event>, store: Store): Applied<Row> {
    const { address, before, state, version, context, at } = change
    if (before && version === before.version) return { row: before.row, writes: [] }
    const decided = {
      state,
      version,
      machine_version: machineVersion,
      context: JSON.stringify(context),
      updated_at: at,
      ...columns?.(context, change),
    }
    if (!before) {
      const birth = change as typeof change & { seed: Seed }
      const row = { ...seeded(birth.seed, address), ...decided, created_at: at } as Row
      const insert = table.insert(store, row)
      const others = born?.(row, birth, store) ?? []
      return { row, writes: Array.isArray(insert) ? [...insert, ...others] : [insert, ...others] }
    }
    const row: Row = { ...before.row, ...decided }
    const update = table.update(store, { ...row, from: before.version }, change)
    return { row, writes: [update, ...(moved?.(row, change, store, before) ?? [])] }
  }

  const load = (store: Store, id: string) => store.first(table.get(store, { id }))
  return { ...others, kind, load, snapshot: snapshotOfRow, apply }
}
