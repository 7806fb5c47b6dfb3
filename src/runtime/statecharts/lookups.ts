/** Lookups in a statechart for its watchers, built once from its decision table. */
import type { DecisionTable } from '../decisions/table.ts'
import { eventsByState, listMoves } from './moves.ts'

export class Lookups {
  readonly #events: ReadonlyMap<string, string[]>
  /** Every transition of the chart, by state (null: creation) and event: the states that it can lead to. */
  readonly #targets = new Map<string | null, Map<string, Set<string>>>()

  constructor(readonly table: DecisionTable) {
    this.#events = eventsByState(table)
    for (const { from, event, to } of listMoves(table)) {
      const events = this.#targets.get(from) ?? new Map<string, Set<string>>()
      this.#targets.set(from, events.set(event, (events.get(event) ?? new Set()).add(to)))
    }
  }

  /** The events for which the state has a row, regardless of guards. */
  nextEvents(state: string): string[] {
    return this.#events.get(state) ?? []
  }

  /** Whether no event can ever move an actor out of this state. */
  isTerminal(state: string): boolean {
    return this.nextEvents(state).length === 0
  }

  /** Whether the chart has a transition between these states by this event. */
  hasMove(from: string | null, event: string, to: string): boolean {
    return this.#targets.get(from)?.get(event)?.has(to) ?? false
  }
}

/** Cached for each table; lookups of tables that are no longer referenced are dropped. */
const known = new WeakMap<DecisionTable, Lookups>()

export function lookupsOf(table: DecisionTable): Lookups {
  const found = known.get(table) ?? new Lookups(table)
  known.set(table, found)
  return found
}
