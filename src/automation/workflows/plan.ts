/** What the statechart of a run decides on, read off the source of the workflow. Pure. Source: contract 3, "workflow source". */
import type { PlannedStep } from '../../../machines/workflow-run.ts'
import { stepsNamed } from '../../authoring/definitions/placeholders.ts'
import type { WorkflowSource } from '../../authoring/definitions/source.ts'

/** In the order of the source. A step waits for those that its input names, too. */
export function planOf({ steps }: WorkflowSource): PlannedStep[] {
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  return steps.map(({ id, operation, input, after = [], retry, onError }) => {
    const names = [...after, ...stepsNamed(input, '').map(({ step }) => step)]
    return {
      id,
      operation,
      after: [...new Set(names.map((name) => places.get(name) as number))],
      maxAttempts: retry?.maxAttempts ?? 1,
      backoffMs: retry?.backoffMs ?? 0,
      continues: onError === 'continue',
    }
  })
}
