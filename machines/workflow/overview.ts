/**
 * What the plan and the steps of a workflow run say as a whole. Each event asks for it many times, and a run may have a
 * thousand elements: it is found in one pass, and kept for as long as plan and steps stay the same. Pure.
 */
import {
  type PlannedStep,
  type StepProgress,
  type WorkflowRunContext,
  type WorkflowStepState,
  workflowStepStates,
} from './words.ts'

type Plan = WorkflowRunContext['plan']
type Steps = WorkflowRunContext['steps']
type Counts = Record<WorkflowStepState, number>

interface PlanOverview {
  /** The places of the steps, by id. */
  places: ReadonlyMap<string, number>
  /** The places of the steps with elements, and those of the elements of each. */
  lists: readonly number[]
  elements: ReadonlyMap<number, readonly number[]>
  /** The places of the compensations. */
  compensations: readonly number[]
}

/** The elements of a step. */
interface ListOverview {
  states: Counts
  /** How many have succeeded or are beyond the end of the list. */
  done: number
  /** The place of the first that has failed. */
  failed: number | undefined
}

interface StepsOverview {
  /** The steps of the workflow itself. */
  own: Counts
  /** Whether a step runs, not only by its elements. */
  isActive: boolean
  /** The places of the steps and compensations in progress. */
  outstanding: readonly number[]
  /** The place of the first step whose failure counts, and of the first whose outcome is unknown. */
  fatal: number | undefined
  unknown: number | undefined
  /** By the place of their step; steps without elements are left out. */
  lists: ReadonlyMap<number, ListOverview>
  /** When the first wait ends. */
  firstWake: number | null
  /** The place of the last success in the order of completion. */
  lastOrder: number
}

export const isOutstanding = ({ state }: StepProgress): boolean => state === 'running' || state === 'waiting_approval'
/** Whether the failure of the step counts, and it has failed. */
export const isFatal = ({ plan }: WorkflowRunContext, { state }: StepProgress, place: number): boolean =>
  state === 'failed' && !(plan[place] as PlannedStep).continues

const knownPlans = new WeakMap<Plan, PlanOverview>()
const knownSteps = new WeakMap<Steps, StepsOverview>()

export function overviewOfPlan({ plan }: WorkflowRunContext): PlanOverview {
  const known = knownPlans.get(plan)
  if (known) return known
  const places = new Map<string, number>()
  const lists: number[] = []
  const elements = new Map<number, number[]>()
  const compensations: number[] = []
  for (const [place, { id, concurrency, element, compensates }] of plan.entries()) {
    places.set(id, place)
    if (concurrency !== undefined) lists.push(place)
    if (compensates !== undefined) compensations.push(place)
    if (element === undefined) continue
    const others = elements.get(element)
    if (others) others.push(place)
    else elements.set(element, [place])
  }
  const overview = { places, lists, elements, compensations }
  knownPlans.set(plan, overview)
  return overview
}

const noCounts = () => Object.fromEntries(workflowStepStates.map((state) => [state, 0])) as Counts

export function overviewOf(context: WorkflowRunContext): StepsOverview {
  const known = knownSteps.get(context.steps)
  if (known) return known
  const overview = surveyed(context)
  knownSteps.set(context.steps, overview)
  return overview
}

function surveyed(context: WorkflowRunContext): StepsOverview {
  const { plan, steps } = context
  const own = noCounts()
  const outstanding: number[] = []
  const lists = new Map<number, ListOverview>()
  let isActive = false
  let fatal: number | undefined
  let unknown: number | undefined
  let firstWake: number | null = null
  let lastOrder = 0
  for (let place = 0; place < steps.length; place += 1) {
    const step = steps[place] as StepProgress
    const { state } = step
    const { compensates, element } = plan[place] as PlannedStep
    const isOwn = compensates === undefined
    if (isOwn) own[state] += 1
    if (element !== undefined) {
      if (!lists.has(element)) lists.set(element, { states: noCounts(), done: 0, failed: undefined })
      addElement(lists.get(element)!, step, place)
    }
    if (isOutstanding(step)) outstanding.push(place)
    if (state === 'running' && !step.counted) isActive = true
    if (fatal === undefined && isFatal(context, step, place)) fatal = place
    if (unknown === undefined && isOwn && state === 'unknown') unknown = place
    if (state === 'waiting' && step.until !== undefined) firstWake = Math.min(firstWake ?? step.until, step.until)
    lastOrder = Math.max(lastOrder, step.order ?? 0)
  }
  return { own, isActive, outstanding, fatal, unknown, lists, firstWake, lastOrder }
}

function addElement(list: ListOverview, { state, beyond }: StepProgress, place: number) {
  list.states[state] += 1
  if (state === 'succeeded' || beyond) list.done += 1
  if (state === 'failed') list.failed ??= place
}
