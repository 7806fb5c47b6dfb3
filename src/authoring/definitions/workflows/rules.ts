/**
 * Rules of a workflow beyond its shape: step ids are unique, dependencies exist, and there are no cycles.
 * Source: contract 3, "workflow source"; "Precise points": `{{steps.x…}}` implies `after`.
 */
import type { Issue } from '../../../platform/http/answers/errors.ts'
import { issuesMax } from '../../../platform/http/validation/deferred-validation.ts'
import { isObject } from '../../../platform/json.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { cyclesOf, drawn } from '../cycles.ts'
import { schemasIssues } from '../json-schemas.ts'
import { fieldOfEach, type Loose, listOf, repeated } from '../loose.ts'
import { placeholderIssues, type Root, stepsNamed } from '../placeholders.ts'
import { fieldsWithValues, stepKinds } from '../source.ts'
import { conditionIssues } from './conditions.ts'

const shownKinds = new Intl.ListFormat('en', { type: 'disjunction' }).format(stepKinds)

const ofWorkflow = ['params', 'steps'] as const

/** A step that something refers to. */
interface Reference {
  path: string
  step: string
}

const inAfter = (after: unknown, path: string): Reference[] =>
  listOf(after).flatMap((step, index) => (typeof step === 'string' ? [{ path: `${path}/${index}`, step }] : []))

export async function workflowIssues(source: Loose, path: string, organizationId: string): Promise<Issue[]> {
  const at = `${path}/steps`
  const ids = fieldOfEach(listOf(source.steps), 'id', at)
  const known = new Set(ids.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])))
  const issues = repeated(ids)
  const waitsFor = new Map<string, string[]>()
  const placeOf = new Map<string, string>()

  for (const [index, step] of listOf(source.steps).entries()) {
    if (!isObject(step)) continue
    // a step may have a thousand placeholders, and others are waiting
    if (index % 10 === 0) await nextTurn()
    const after = inAfter(step.after, `${at}/${index}/after`)
    const place = `${at}/${index}`
    const references = [...after, ...fieldsWithValues.flatMap((field) => stepsNamed(step[field], `${place}/${field}`))]
    issues.push(
      ...fieldsWithValues.flatMap((field) => placeholderIssues(step[field], `${place}/${field}`, rootsOf(step, field))),
      ...forEachIssues(step, place),
      ...kindIssues(step, place),
      ...conditionIssues(step.when, `${place}/when`),
      ...compensationIssues(step, place, known),
      ...repeated(after.map(({ path: entry, step: name }) => ({ path: entry, name }))),
      ...missing(references, known),
    )
    if (typeof step.id !== 'string' || placeOf.has(step.id)) continue
    placeOf.set(step.id, place)
    waitsFor.set(step.id, [...new Set(references.map(({ step: name }) => name).filter((name) => known.has(name)))])
  }
  issues.push(
    ...placeholderIssues(source.output, `${path}/output`, ofWorkflow),
    ...missing(stepsNamed(source.output, `${path}/output`), known),
  )
  for (const cycle of cyclesOf(waitsFor)) {
    issues.push({ path: placeOf.get(cycle[0]!)!, message: `Waits for itself: ${drawn(cycle)}.` })
  }
  const params = { path: `${path}/params`, schema: source.params, ofObjects: 'Must be object.' }
  return [...issues, ...(await schemasIssues([params], path, organizationId))]
}

/** `{{item}}` and `{{index}}` may be used in the input of a step with a list. */
const rootsOf = ({ forEach }: Loose, field: string): readonly Root[] =>
  field === 'input' && forEach !== undefined ? [...ofWorkflow, 'item', 'index'] : ofWorkflow

function forEachIssues({ forEach, concurrency, operation, workflow, compensate }: Loose, place: string): Issue[] {
  if (forEach === undefined) {
    const message = 'Only a step with forEach has a concurrency.'
    return concurrency === undefined ? [] : [{ path: `${place}/concurrency`, message }]
  }
  if (operation === undefined && workflow === undefined)
    return [
      { path: `${place}/forEach`, message: 'Only a step with an operation or a workflow can be done for each item.' },
    ]
  return compensate === undefined
    ? []
    : [
        {
          path: `${place}/compensate`,
          message: 'A step with forEach cannot be compensated; compensate in a workflow that it runs.',
        },
      ]
}

/** A compensation may name any step: it begins when all have ended, and gets null for those that did not run. */
function compensationIssues({ compensate, operation }: Loose, place: string, known: ReadonlySet<string>): Issue[] {
  if (compensate === undefined) return []
  const at = `${place}/compensate`
  if (operation === undefined) return [{ path: at, message: 'Only a step with an operation can be compensated.' }]
  const input = isObject(compensate) ? compensate.input : undefined
  return [...placeholderIssues(input, `${at}/input`, ofWorkflow), ...missing(stepsNamed(input, `${at}/input`), known)]
}

/** A step does one thing, and only an operation or a workflow has an input. */
function kindIssues(step: Loose, place: string): Issue[] {
  const [kind, other] = stepKinds.filter((each) => step[each] !== undefined)
  if (kind === undefined) return [{ path: `${place}/operation`, message: `The step needs one of ${shownKinds}.` }]
  if (other !== undefined) return [{ path: `${place}/${other}`, message: `The step has ${kind} already.` }]
  return kind !== 'operation' && kind !== 'workflow' && step.input !== undefined
    ? [{ path: `${place}/input`, message: 'Only a step with an operation or a workflow has an input.' }]
    : []
}

const missing = (references: readonly Reference[], known: ReadonlySet<string>): Issue[] =>
  references
    .filter(({ step }) => !known.has(step))
    .slice(0, issuesMax)
    .map(({ path, step }) => ({ path, message: `There is no step ${quoted(step)}.` }))

/** A name that may be anything, short enough to be shown. */
const quoted = (name: string) => JSON.stringify(name.slice(0, 64))
