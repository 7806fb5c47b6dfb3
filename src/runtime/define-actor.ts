/** Kinds of actors whose snapshot is a part of their row: how one is loaded, born and changed follows from its table. */
import type { AnyEventObject } from 'xstate'
import type { Query, Store, Write } from '../../storage/store.ts'
import type { Actor, ActorKind, Address, Applied, Change, Snapshot } from './kind.ts'

/** The columns that every such table has. */
export interface ActorRow {
  state: string
  version: number
  machine_version: string
  /** JSON. */
  context: string
  created_at: number
  updated_at: number
}

export interface ActorDefinition<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>
  extends Pick<ActorKind<Row, Context, Event>, 'kind' | 'machine' | 'describe' | 'effects' | 'view'> {
  /** The statements of its table; `update` compares the stored version with `from`, and swaps. */
  table: {
    get(store: Store, key: { id: string }): Query<Row>
    insert(store: Store, row: Row): Write
    update(store: Store, row: Row & { from: number }): Write
  }
  /** Columns that repeat a part of the context, so that queries can ask for it. */
  columns?(context: Context): Partial<Row>
  /** The columns of a new row that its statechart does not decide. */
  seeded(seed: Seed, address: Address): Partial<Row>
  /** What is stored together with a new row. */
  born?(row: Row, change: Change<Row, Context, Event>, store: Store): Write[]
  /** What is stored together with a changed row. */
  moved?(before: Actor<Row, Context>, change: Change<Row, Context, Event>, store: Store): Write[]
}

/** The snapshot of an actor whose row has the columns of `ActorRow`. */
export const snapshotOfRow = ({ state, version, machine_version, context }: ActorRow): Snapshot => ({
  state,
  version,
  machineVersion: machine_version,
  context,
})

/** The kind, as the runtime takes it. A kind with rules of its own for its row is an `ActorKind` written out. */
export function defineActor<Row extends ActorRow, Context, Event extends AnyEventObject, Seed>({
  table,
  columns,
  seeded,
  born,
  moved,
  ...kind
}: ActorDefinition<Row, Context, Event, Seed>): ActorKind<Row, Context, Event> {
  const machineVersion = kind.machine.version ?? '1'

  function apply(change: Change<Row, Context, Event>, store: Store): Applied<Row> {
    const { address, before, state, version, context, seed, at } = change
    if (before && version === before.version) return { row: before.row, writes: [] }
    const decided = {
      state,
      version,
      machine_version: machineVersion,
      context: JSON.stringify(context),
      ...columns?.(context),
      updated_at: at,
    }
    if (!before) {
      const row = { ...seeded(seed as Seed, address), ...decided, created_at: at } as Row
      return { row, writes: [table.insert(store, row), ...(born?.(row, change, store) ?? [])] }
    }
    const row: Row = { ...before.row, ...decided }
    return {
      row,
      writes: [table.update(store, { ...row, from: before.version }), ...(moved?.(before, change, store) ?? [])],
    }
  }

  return { ...kind, load: (store, id) => store.first(table.get(store, { id })), snapshot: snapshotOfRow, apply }
}
