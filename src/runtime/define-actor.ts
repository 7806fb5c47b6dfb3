/** A kind of actor as its area defines it, in one file: its machine, its table, its effects, and what it shows. */
import type { AnyEventObject } from 'xstate'
import type { Query, Store, Write } from '../../storage/store.ts'
import type { Actor, ActorKind, Address, Applied, Change, Snapshot } from './kind.ts'

/** The columns that the table of a kind has whose snapshot is a part of its row. */
export interface ActorRow {
  state: string
  version: number
  machine_version: string
  /** JSON. */
  context: string
  created_at: number
  updated_at: number
}

/** How an actor is loaded and stored. */
type Rules = 'load' | 'snapshot' | 'apply'

/** A kind with rules of its own for its row. */
export type OwnDefinition<Row, Context, Event extends AnyEventObject> = Omit<ActorKind<Row, Context, Event>, 'kind'>

/** A kind whose rules for its row follow from its table. */
export interface ActorDefinition<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>
  extends Omit<ActorKind<Row, Context, Event>, 'kind' | Rules> {
  /** The statements of its table; `update` compares the stored version with `from`, and swaps. */
  table: {
    get(store: Store, key: { id: string }): Query<Row>
    /** With what has to hold at the moment of the commit, where that comes before the row. */
    insert(store: Store, row: Row): Write | Write[]
    update(store: Store, row: Row & { from: number }, change: Change<Row, Context, Event>): Write
  }
  /** What else of the row a change decides: columns that repeat a part of the context, or that its events bring. */
  columns?(context: Context, change: Change<Row, Context, Event>): Partial<Row>
  /** The columns of a new row that its statechart does not decide. */
  seeded(seed: Seed, address: Address): Partial<Row>
  /** What is stored together with a new row. */
  born?(row: Row, change: Change<Row, Context, Event> & { seed: Seed }, store: Store): Write[]
  /** What is stored together with a changed row. */
  moved?(row: Row, change: Change<Row, Context, Event>, store: Store, before: Actor<Row, Context>): Write[]
}

/** The snapshot of an actor whose row has the columns of `ActorRow`. */
export const snapshotOfRow = ({ state, version, machine_version, context }: ActorRow): Snapshot => ({
  state,
  version,
  machineVersion: machine_version,
  context,
})

/**
 * The kind, as the runtime takes it: how it is loaded and stored follows from its `table`, or it gives `load`, `snapshot`
 * and `apply` where it has rules of its own. Its name is the id of its machine.
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
