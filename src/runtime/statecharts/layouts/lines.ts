/** The lines of a drawn statechart: all transitions from one state or group to another share one line. */
import { duration } from '../duration.ts'
import { edgeIdOf, type LabelLine } from './chart-layout.ts'

/** The drawn parts of a statechart, as in `GET /api/v1/machines/{kind}`. */
export interface DrawnChart {
  states: readonly string[]
  groups: readonly { name: string; parent: string | null; states: readonly string[] }[]
  transitions: readonly {
    from: string | null
    event: string
    guard: string | null
    to: string
    effects: readonly string[]
    declaredAt: string | null
    declaredTo: string
  }[]
  deadlines: readonly { event: string; states: readonly string[]; defaultMs: number | null }[]
}

export interface ChartLine {
  id: string
  from: string
  to: string
  label: LabelLine[]
}

/** The most text lines of one label; a longer label omits effects first, then guards, then events. */
const labelLinesMax = 9
/** The most characters of a text line; a longer one is wrapped. */
const textLengthMax = 26

interface DrawnEvent {
  event: string
  guards: Set<string>
  effects: Set<string>
}

/** At most two names, the second on its own line if both do not fit: names are never cut. */
function linesOfNames(before: string, names: ReadonlySet<string>, after: string, between: string): string[] {
  const [one = '', two, ...others] = [...names].map((name) => `${before}${name}${after}`)
  const end = others.length === 0 ? '' : ` … ${others.length} more`
  if (two === undefined) return [one]
  const together = `${one}${between}${two}${end}`
  return together.length <= textLengthMax ? [together] : [`${one}${between.trimEnd()}`, `${two}${end}`]
}

/** A guard that every transition has (as in entities) distinguishes none of them, and is omitted. */
export function commonGuard({ transitions }: Pick<DrawnChart, 'transitions'>): string | null {
  const guards = new Set(transitions.flatMap(({ from, guard }) => (from === null ? [] : [guard])))
  const [guard = null] = guards
  return guards.size === 1 ? guard : null
}

function labelOf(events: readonly DrawnEvent[], lengths: ReadonlyMap<string, string>): LabelLine[] {
  const all = events.flatMap(({ event, guards, effects }): LabelLine[] => {
    const length = lengths.get(event)
    const guardLines = guards.size > 0 ? linesOfNames('[', guards, ']', ' or ') : []
    const effectLines = effects.size > 0 ? linesOfNames('', effects, '', ', ') : []
    return [
      length === undefined ? { text: event, is: 'event', event } : { text: `${event}${length}`, is: 'deadline', event },
      ...guardLines.map((text): LabelLine => ({ text, is: 'guard', event })),
      ...effectLines.map((text, place): LabelLine => ({ text: place === 0 ? `/ ${text}` : text, is: 'effect', event })),
    ]
  })
  if (all.length <= labelLinesMax) return all
  const withGuards = all.filter(({ is }) => is !== 'effect')
  if (withGuards.length <= labelLinesMax) return withGuards
  const names = withGuards.filter(({ is }) => is !== 'guard')
  if (names.length <= labelLinesMax) return names
  const shown = names.slice(0, labelLinesMax - 1)
  return [...shown, { text: `${names.length - shown.length} more events`, is: 'more', event: null }]
}

/** All lines, in the order of the table. */
export function linesOf(chart: DrawnChart): ChartLine[] {
  const unsaid = commonGuard(chart)
  const lengths = new Map(
    chart.deadlines.map(({ event, defaultMs }) => [event, defaultMs === null ? '' : ` · ${duration(defaultMs)}`]),
  )
  const lines = new Map<string, { from: string; to: string; events: Map<string, DrawnEvent> }>()
  for (const { event, guard, effects, declaredAt, declaredTo } of chart.transitions) {
    if (declaredAt === null) continue
    const id = edgeIdOf(declaredAt, declaredTo)
    const line = lines.get(id) ?? { from: declaredAt, to: declaredTo, events: new Map<string, DrawnEvent>() }
    lines.set(id, line)
    const drawn = line.events.get(event) ?? { event, guards: new Set<string>(), effects: new Set<string>() }
    line.events.set(event, drawn)
    if (guard !== null && guard !== unsaid) drawn.guards.add(guard)
    for (const effect of effects) drawn.effects.add(effect)
  }
  return [...lines].map(([id, { from, to, events }]) => ({
    id,
    from,
    to,
    label: labelOf([...events.values()], lengths),
  }))
}
