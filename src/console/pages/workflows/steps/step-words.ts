/** What a step of a run does and how far it is, in words. Pure. */
import { placeholdersIn, textsIn } from '../../../../authoring/definitions/placeholders.ts'
import { type WorkflowStep as SourceStep, stepKinds } from '../../../../authoring/definitions/source.ts'
import { renderTemplate, type WorkflowValues } from '../../../../automation/workflows/templates.ts'
import type { IconName } from '../../../ui/icon.tsx'
import type { WorkflowRun, WorkflowStep } from '../run.ts'

type StepKind = (typeof stepKinds)[number]
type Element = NonNullable<WorkflowStep['elements']>[number]
export type StepState = WorkflowStep['state']

export const stepIcons: Record<StepKind, IconName> = {
  operation: 'bolt',
  workflow: 'flow',
  sleep: 'clock',
  waitFor: 'bell',
}

/** From the Definition, or as far as the run shows it. */
export function kindOf(step: WorkflowStep | undefined, source: SourceStep | undefined): StepKind | undefined {
  const declared = source && stepKinds.find((kind) => source[kind] !== undefined)
  if (declared || !step) return declared
  if (step.operation !== null) return 'operation'
  if (step.workflow !== null) return 'workflow'
  if (step.waitsFor) return 'waitFor'
  return step.waitsUntil ? 'sleep' : undefined
}

/** Without the Definition: as far as the run shows it. */
export function doingInRun({ operation, workflow, waitsFor, waitsUntil }: WorkflowStep): string {
  if (operation !== null) return operation
  if (workflow !== null) return `workflow ${workflow}`
  if (waitsFor) return `wait for ${waitsFor.event}`
  return waitsUntil ? 'sleep' : ''
}

/** In display order: states that need a user's attention come first. */
const stateOrder: StepState[] = [
  'unknown',
  'failed',
  'waiting_approval',
  'waiting',
  'running',
  'pending',
  'succeeded',
  'skipped',
  'canceled',
]

/** How many items are in which state, without the states of none. */
export function countsOf(elements: readonly Element[]): { state: StepState; count: number }[] {
  const counts = Map.groupBy(elements, ({ state }) => state)
  return stateOrder.flatMap((state) => {
    const count = counts.get(state)?.length ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
}

/** `120 of 300 items`, `299 of 300 items, 1 failed`; counted are those that have succeeded. */
export function itemsText(elements: readonly Element[]): string {
  const counts = new Map(countsOf(elements).map(({ state, count }) => [state, count]))
  const troubled = (['failed', 'unknown'] as const).flatMap((state) => {
    const count = counts.get(state)
    return count === undefined ? [] : [`${count.toLocaleString('en')} ${state}`]
  })
  const [done, all] = [counts.get('succeeded') ?? 0, elements.length].map((count) => count.toLocaleString('en'))
  return [`${done} of ${all} ${elements.length === 1 ? 'item' : 'items'}`, ...troubled].join(', ')
}

/** The values that templates of the run see. */
export const valuesOf = ({ params, steps }: Pick<WorkflowRun, 'params' | 'steps'>): WorkflowValues => ({
  params,
  outputs: new Map(steps.flatMap(({ stepId, state, output }) => (state === 'succeeded' ? [[stepId, output]] : []))),
})

const charactersMax = 1_048_576

/** A template with the values of the run; undefined if the result is too large. */
export function renderedIn(template: unknown, values: WorkflowValues): unknown {
  try {
    return renderTemplate(template, values, charactersMax)
  } catch {
    return undefined
  }
}

/** The values that a condition looks at, by the text between the braces; each once. */
export function lookedAt(condition: unknown, values: WorkflowValues): [name: string, value: unknown][] {
  const names = [...textsIn(condition, '')].flatMap(({ text }) => placeholdersIn(text))
  return [...new Set(names)].flatMap((name): [string, unknown][] =>
    name === undefined ? [] : [[name, renderedIn(`{{${name}}}`, values)]],
  )
}

/** One line of JSON, cut after this many characters. */
export function oneLine(value: unknown, charactersMax = 120): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '…')
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
