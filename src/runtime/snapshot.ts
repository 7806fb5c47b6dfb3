/** From a stored snapshot back to a state and a context, through the migrations of its kind where it is older. */
import type { ActorKind, Snapshot } from './kind.ts'
import type { DecisionTable } from './table.ts'

/** The snapshot of this actor cannot be read; the row is left as it is. */
export class CorruptSnapshot extends Error {
  override readonly name = 'CorruptSnapshot'
}

// biome-ignore lint/suspicious/noExplicitAny: any kind will do; nothing of its row, context or events is looked at
export function restore(kind: ActorKind<any, any, any>, table: DecisionTable, snapshot: Snapshot) {
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
  while (version !== table.version) {
    const migrate = kind.migrations?.[version]
    if (!migrate) throw broken(`there is no way from version ${version} of its statechart to ${table.version}`)
    ;({ version, state, context } = migrate({ state, context }))
  }
  if (!table.rows.has(state)) throw broken(`its statechart has no state ${state}`)
  if (typeof context !== 'object' || context === null) throw broken('its context is not an object')
  return { state, context: context as Record<string, unknown>, version: snapshot.version }
}
