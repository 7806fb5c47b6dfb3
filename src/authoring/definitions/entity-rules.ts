/**
 * Rules of an entity beyond its shape: its states must form a statechart in which every state is reachable.
 * Source: contract 3, "entity source".
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject, pointer } from '../../platform/json.ts'
import { compile } from '../../runtime/decisions/table.ts'
import { chartOfEntity } from './entity-chart.ts'
import { schemasIssues } from './json-schemas.ts'
import { firstEntriesOf, type Loose } from './loose.ts'
import { wordPattern } from './shapes.ts'
import type { EntitySource } from './source.ts'

/** Names end up as keys of objects, where this one means something else. */
const isName = (text: string) => wordPattern.test(text) && text !== '__proto__'

/** The time to make a statechart grows with them. */
const movesMax = 1_000
const badName = 'Must be a name of 1 to 64 letters, digits, - and _, other than __proto__.'

/** `fits`: the source has its shape, and so can be tried. */
export async function entityIssues(
  source: Loose,
  path: string,
  organizationId: string,
  fits: boolean,
): Promise<Issue[]> {
  const schema = { path: `${path}/schema`, schema: source.schema, ofObjects: 'Must be object.' }
  const at = `${path}/states`
  const issues = chartIssues(source.states, at)
  if (fits && issues.length === 0) issues.push(...refusals(source.states as EntitySource['states'], at))
  return [...issues, ...(await schemasIssues([schema], path, organizationId))]
}

function chartIssues(chart: unknown, path: string): Issue[] {
  if (!isObject(chart)) return []
  const states = firstEntriesOf(chart.states)
  const known = new Set(states.map(([name]) => name))
  const issues = states.flatMap(([name, state]) => stateIssues(name, state, known, `${path}/states${pointer(name)}`))
  const moves = states.reduce(
    (sum, [, state]) => sum + firstEntriesOf(isObject(state) ? state.on : undefined).length,
    0,
  )
  if (moves > movesMax) {
    issues.push({
      path: `${path}/states`,
      message: `May have at most ${movesMax.toLocaleString('en')} moves together.`,
    })
  }
  const { initial } = chart
  if (typeof initial !== 'string' || !isObject(chart.states)) return issues
  if (!known.has(initial)) return [...issues, { path: `${path}/initial`, message: 'Is none of the states.' }]
  const reached = reachedFrom(initial, new Map(states))
  for (const name of known) {
    if (!reached.has(name)) {
      const message = `No way leads here from ${JSON.stringify(initial.slice(0, 64))}.`
      issues.push({ path: `${path}/states${pointer(name)}`, message })
    }
  }
  return issues
}

function stateIssues(name: string, state: unknown, known: ReadonlySet<string>, path: string): Issue[] {
  const issues: Issue[] = isName(name) ? [] : [{ path, message: badName }]
  if (!isObject(state)) return issues
  const moves = firstEntriesOf(state.on)
  if (state.final === true && moves.length > 0) {
    issues.push({ path: `${path}/on`, message: 'Nothing leads out of a final state.' })
  }
  for (const [event, target] of moves) {
    const at = `${path}/on${pointer(event)}`
    if (!isName(event)) issues.push({ path: at, message: badName })
    else if (typeof target === 'string' && !known.has(target)) {
      issues.push({ path: at, message: `There is no state ${JSON.stringify(target.slice(0, 64))}.` })
    }
  }
  return issues
}

function reachedFrom(initial: string, states: ReadonlyMap<string, unknown>): Set<string> {
  const reached = new Set([initial])
  for (const name of reached) {
    const state = states.get(name)
    for (const [, target] of firstEntriesOf(isObject(state) ? state.on : undefined)) {
      if (typeof target === 'string' && states.has(target)) reached.add(target)
    }
  }
  return reached
}

/** Problems that XState or the server's decision table find beyond the rules above. */
function refusals(chart: EntitySource['states'], path: string): Issue[] {
  try {
    compile(chartOfEntity('entity', chart))
    return []
  } catch {
    return [{ path, message: 'Is no statechart that can be run.' }]
  }
}
