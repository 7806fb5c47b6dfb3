/** Dependencies of a workflow run's steps, from its Definition Revision. */
import { useMemo } from 'react'
import type { WorkflowSource } from '../../../authoring/definitions/source.ts'
import { planOf } from '../../../automation/workflows/plan.ts'
import { useAccess } from '../../data/context.ts'
import { useReading } from '../../data/resource.ts'
import { useIds } from '../../use-place.ts'
import { doingOf } from '../definitions/steps.ts'
import { readSource } from '../operations/deployed.ts'
import type { WorkflowRun } from './run.ts'

export interface DrawnStep {
  id: string
  /** Its operation, or what else it does. */
  does: string
  /** Ids of its dependencies. */
  after: string[]
  /** Dependents continue if it fails. */
  continues: boolean
}

export interface Plan {
  steps: DrawnStep[]
  /** Whether the dependencies are known. */
  isKnown: boolean
}

export function planIn(source: WorkflowSource): DrawnStep[] {
  const plan = planOf(source).slice(0, source.steps.length)
  return plan.map(({ id, after, continues }, place) => ({
    id,
    does: doingOf(source.steps[place]!),
    continues,
    after: after.flatMap((place) => plan[place]?.id ?? []),
  }))
}

/** undefined while loading. Without permission for the Definition, steps have no dependencies. */
export function usePlan(run: WorkflowRun): Plan | undefined {
  const access = useAccess()
  const { projectId } = useIds('projectId')
  const { definitionId, definitionRevisionId, steps } = run
  const { value, failure } = useReading(['plan', definitionRevisionId], () =>
    readSource(access, projectId, definitionId, definitionRevisionId),
  )
  return useMemo(() => {
    if (value) return { steps: planIn(value as WorkflowSource), isKnown: true }
    if (value === undefined && !failure) return undefined
    const lone = steps.map(({ stepId: id, operation }) => ({ id, does: operation ?? '', after: [], continues: false }))
    return { steps: lone, isKnown: false }
  }, [value, failure, steps])
}
