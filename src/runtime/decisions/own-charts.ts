/**
 * Kinds whose actors each have their own statechart: the chart in an actor's row is compiled at its first use, and
 * cached by its key within a bound. Source: contract 3, "entity source"; design 3.
 */
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Registered } from '../command.ts'
import { checkEffects } from '../effects.ts'
import type { AnyKind, OwnChart } from '../kind.ts'
import { CorruptSnapshot } from './snapshot.ts'
import { compile, type DecisionTable } from './table.ts'

/** The most compiled charts in the cache; a large one has a thousand transitions. */
const tablesMax = 256

/** Compiles the kind's statechart. Throws if it is invalid, or requests an effect without an implementation. */
export function register(definition: AnyKind): Registered {
  const table = compile(definition.machine)
  checkEffects(definition, table)
  const { chartOf } = definition
  if (!chartOf) return { definition, table, tableOf: () => table, tableOfChart: () => table }

  const tables = new RecentlyUsed<DecisionTable>(tablesMax)
  const tableOfChart = ({ key, machine }: OwnChart): DecisionTable => {
    const known = tables.get(key)
    if (known) return known
    const compiled = compileOwn(definition, machine)
    tables.set(key, compiled)
    return compiled
  }
  return { definition, table, tableOf: (row) => tableOfChart(chartOf(row)), tableOfChart }
}

function compileOwn(definition: AnyKind, machine: OwnChart['machine']): DecisionTable {
  try {
    const table = compile(machine())
    checkEffects(definition, table)
    return table
  } catch (cause) {
    throw new CorruptSnapshot(`A stored statechart of kind ${definition.kind} cannot be read.`, { cause })
  }
}
