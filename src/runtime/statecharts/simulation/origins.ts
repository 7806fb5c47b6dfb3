/**
 * Starting points of simulations: the statechart of a kind, an actor's own statechart, or the current state of an
 * actor.
 */
import type { Chart } from '../../../../machines/charts/chart.ts'
import { listTimers } from '../../../../storage/runtime/actors.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { compile, type DecisionTable } from '../../decisions/table.ts'
import type { Actor, AnyKind } from '../../kind.ts'
import type { Watch } from '../live/watch.ts'
import type { Origin } from './simulate.ts'

/** The most reads of an actor that changes during the read. */
const readsMax = 3

const tables = new WeakMap<Chart['machine'], DecisionTable>()

function tableOf(machine: Chart['machine']): DecisionTable {
  const table = tables.get(machine) ?? compile(machine)
  tables.set(machine, table)
  return table
}

/** A new actor of this statechart; `definition` is that of its kind, if the server runs it. */
export function originOfChart(
  { machine, input }: Pick<Chart, 'machine' | 'input'>,
  kind: string,
  definition?: AnyKind,
): Origin {
  const table = tableOf(machine)
  // a new actor has no secrets: its input is an example
  const show = definition?.view?.show ?? ((context: Record<string, unknown>) => context)
  return { kind, table, effects: definition?.effects ?? {}, show, input }
}

/** A copy of an actor that the caller may see. Throws `not_found` (404). */
export async function originOfActor(watch: Watch, chart: Chart, caller: Caller, id: string): Promise<Origin> {
  const { store } = watch.parts
  let actor: Actor = await watch.actor(id)
  for (let reads = 1; ; reads += 1) {
    const timers = await store.all(listTimers(store, { kind: watch.kind, actorId: id }))
    const later = await watch.actor(id)
    if (later.version === actor.version || reads === readsMax) {
      const { state, context, sequence, row } = later
      return {
        kind: watch.kind,
        table: watch.lookups(row).table,
        effects: watch.definition.effects,
        show: (shown) => watch.redact(shown),
        input: chart.input,
        facts: (type) => watch.factsFor(caller, later, { type }),
        actor: { state, context, sequence, timers },
      }
    }
    actor = later
  }
}
