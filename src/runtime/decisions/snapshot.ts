/** Restores state and context from a stored snapshot; older snapshots pass the migrations of their kind. */
import { DamagedRecord } from '../../../storage/errors.ts'
import type { AnyKind, Snapshot } from '../kind.ts'
import type { DecisionTable } from './table.ts'

/** The actor's snapshot cannot be read; its row is left unchanged. */
export class CorruptSnapshot extends DamagedRecord {
  override readonly name = 'CorruptSnapshot'
}

/** Throws `CorruptSnapshot`. */
export function restore(kind: AnyKind, table: DecisionTable, snapshot: Snapshot) {
  const broken = (why: string, cause?: unknown) =>
    new CorruptSnapshot(`A stored snapshot of kind ${kind.kind} cannot be read: ${why}.`, { cause })
  let state = snapshot.state
  let context: unknown
  try {
    context = JSON.parse(snapshot.context)
  } catch (cause) {
    throw broken('its context is not JSON', cause)
  }
  let version = snapshot.machineVersion
  const passed = new Set<string>()
  while (version !== table.version) {
    const migrate = kind.migrations?.[version]
    if (!migrate || passed.has(version))
      throw broken(`there is no way from version ${version} of its statechart to ${table.version}`)
    passed.add(version)
    try {
      ;({ version, state, context } = migrate({ state, context }))
    } catch (cause) {
      throw broken(`its migration from version ${version} failed`, cause)
    }
  }
  if (!table.rows.has(state)) throw broken(`its statechart has no state ${state}`)
  if (typeof context !== 'object' || context === null || Array.isArray(context))
    throw broken('its context is not an object')
  return { state, context: context as Record<string, unknown>, version: snapshot.version }
}
