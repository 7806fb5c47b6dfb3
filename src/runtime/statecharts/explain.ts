/** Describes every name in a statechart, in the order of the table. Source: contract 9, "Statecharts". */

import type { Chart, ChartEvent } from '../../../machines/charts/chart.ts'
import { compile, type DecisionTable } from '../decisions/table.ts'
import { deadlinesOf, listMoves } from './moves.ts'

interface ExplainedEvent extends ChartEvent {
  event: string
}

interface ExplainedDeadline {
  event: string
  /** Whether the state is final. */
  states: string[]
  limits: string
  /** null: the guard depends on the actor's own context. */
  defaultMs: number | null
  setting: string | null
}

export interface Explanations {
  /** Without deadlines. */
  events: ExplainedEvent[]
  guards: { guard: string; holdsWhen: string }[]
  effects: { effect: string; bringsAbout: string }[]
  deadlines: ExplainedDeadline[]
}

/** The length of each deadline for a new actor, in milliseconds. */
function defaultDelays({ machine, input }: Chart): Map<string, number> {
  const { initial, rows } = compile(machine)
  const given = { context: initial.context(input), event: { type: 'create', at: 0, chance: 0 } }
  const candidates = [...rows.values()].flatMap((events) => [...events.values()].flat())
  const acts = [initial, ...candidates].flatMap((row) => row.acts)
  return new Map(acts.flatMap((act) => (act.do === 'arm' ? [[act.timer, act.delayMs(given)] as const] : [])))
}

/**
 * Describes a statechart that uses the names of the chart: the chart's own, unless another is given. Throws if a name
 * has no description.
 */
export function explain(chart: Chart, table: DecisionTable = compile(chart.machine)): Explanations {
  const moves = listMoves(table)
  const deadlines = deadlinesOf(table)
  const delays = defaultDelays(chart)
  const eventNames = new Set(moves.map(({ event }) => event).filter((event) => !deadlines.has(event)))
  const guardNames = new Set(moves.flatMap(({ guard }) => (guard === null ? [] : [guard])))
  const effectNames = new Set(moves.flatMap((move) => move.effects))

  // users name events, so names such as `constructor` must not find inherited properties
  const explanationOf = <Explanation>(
    sentences: Readonly<Record<string, Explanation>>,
    name: string,
    otherwise?: Explanation,
  ): Explanation => {
    const found = Object.hasOwn(sentences, name) ? sentences[name] : otherwise
    if (found === undefined) throw new Error(`The statechart ${table.kind} does not explain ${name}.`)
    return found
  }

  return {
    events: [...eventNames].map((event) => ({ event, ...explanationOf(chart.events, event, chart.otherEvents) })),
    guards: [...guardNames].map((guard) => ({ guard, holdsWhen: explanationOf(chart.guards, guard) })),
    effects: [...effectNames].map((effect) => ({ effect, bringsAbout: explanationOf(chart.effects, effect) })),
    deadlines: [...deadlines].map((event) => {
      const { limits, setting = null, varies } = explanationOf(chart.deadlines, event)
      const states = [
        ...new Set(moves.flatMap((move) => (move.event === event && move.from !== null ? [move.from] : []))),
      ]
      return { event, states, limits, defaultMs: varies ? null : (delays.get(event) ?? null), setting }
    }),
  }
}
