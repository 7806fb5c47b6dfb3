/** Which step waits for which, as the Definition Revision of the run says it: the drawing is made of that. */
import { useMemo } from 'react'
import type { WorkflowSource } from '../../../authoring/definitions/source.ts'
import { planOf } from '../../../automation/workflows/plan.ts'
import { useAccess } from '../../data/context.ts'
import { useReading } from '../../data/resource.ts'
import { useIds } from '../../use-place.ts'
import { readSource } from '../operations/deployed.ts'
import type { WorkflowRun } from './run.ts'

export interface DrawnStep {
  id: string
  operation: string
  /** Ids of the steps that it waits for. */
  after: string[]
  /** Others go on when it has failed. */
  continues: boolean
}

export interface Plan {
  steps: DrawnStep[]
  /** Whether it is known what waits for what. */
  isKnown: boolean
}

export function planIn(source: WorkflowSource): DrawnStep[] {
  const plan = planOf(source)
  return plan.map(({ id, operation, after, continues }) => ({
    id,
    operation,
    continues,
    after: after.flatMap((place) => plan[place]?.id ?? []),
  }))
}

/** undefined until it is there. Who may not read the Definition gets the steps by themselves. */
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
    const lone = steps.map(({ stepId: id, operation }) => ({ id, operation, after: [], continues: false }))
    return { steps: lone, isKnown: false }
  }, [value, failure, steps])
}
