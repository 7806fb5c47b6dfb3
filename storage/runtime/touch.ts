/** Checks and increments an actor's version, for a unit of work that changes nothing else in its row. */
import { untyped } from '../rows.ts'
import { together, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import { type FleetKind, fleetKinds, tableOfKind } from './fleet.ts'

const touchIn = ({ table, id }: { table: string; id: string }) =>
  together(
    'rows',
    write(
      (db, values: { id: string; from: number }) =>
        untyped(db)
          .updateTable(table)
          .set(({ eb }) => ({ version: eb('version' as never, '+', 1 as never) }))
          .where(id, '=', values.id)
          .where('version', '=', values.from),
      1,
    ),
  )

const statements = Object.fromEntries(fleetKinds.map((kind) => [kind, touchIn(tableOfKind(kind))])) as Record<
  FleetKind,
  ReturnType<typeof touchIn>
>

/** `StaleWrite` if the actor has moved since version `from`. */
export const touchActor = (store: Store, kind: string, values: { id: string; from: number }): Write =>
  statements[kind as FleetKind](store, values)
