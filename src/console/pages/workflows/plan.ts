/** Dependencies of a workflow run's steps, and what each does, from its Definition Revision. */
import { useMemo } from 'react'
import type { WorkflowStep as SourceStep, WorkflowSource } from '../../../authoring/definitions/source.ts'
import { planOf } from '../../../automation/workflows/plan.ts'
import { useAccess } from '../../data/context.ts'
import { useReading } from '../../data/resource.ts'
import { useIds } from '../../use-place.ts'
import { doingOf } from '../definitions/steps.ts'
import { readSource } from '../operations/deployed.ts'
import type { WorkflowRun, WorkflowStep } from './run.ts'
import { doingInRun } from './steps/step-words.ts'

export interface DrawnStep {
  id: string
  /** Its operation, or what else it does. */
  does: string
  /** Ids of its dependencies. */
  after: string[]
  /** undefined without permission for the Definition. */
  source?: SourceStep
}

export interface Plan {
  steps: DrawnStep[]
  /** Whether the dependencies are known. */
  isKnown: boolean
}

export function planIn(source: WorkflowSource): DrawnStep[] {
  const plan = planOf(source).slice(0, source.steps.length)
  return plan.map(({ id, after }, place) => {
    const step = source.steps[place] as SourceStep
    return {
      id,
      does: doingOf(step),
      after: after.flatMap((place) => plan[place]?.id ?? []),
      source: step,
    }
  })
}

const loneStep = (step: WorkflowStep): DrawnStep => ({
  id: step.stepId,
  does: doingInRun(step),
  after: [],
})

/** undefined while loading. Without permission for the Definition, steps have no dependencies. */
export function usePlan(run: WorkflowRun): Plan | undefined {
  const access = useAccess()
  const { projectId } = useIds('projectId')
  const { definitionId, definitionRevisionId, steps } = run
  const { value, failure } = useReading(['plan', definitionRevisionId], () =>
    readSource(access, projectId, definitionId, definitionRevisionId),
  )
  const known = useMemo(() => (value ? { steps: planIn(value as WorkflowSource), isKnown: true } : undefined), [value])
  const lone = useMemo(() => ({ steps: steps.map(loneStep), isKnown: false }), [steps])
  if (known) return known
  return value === undefined && !failure ? undefined : lone
}
