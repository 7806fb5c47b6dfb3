/** The plan for a run's statechart, from the workflow's source. Pure. Source: contract 3, "workflow source". */
import { compensationOf, type PlannedStep } from '../../../machines/workflow-run.ts'
import { stepsNamed } from '../../authoring/definitions/placeholders.ts'
import { fieldsWithValues, type WorkflowSource } from '../../authoring/definitions/source.ts'

/** In the order of the source, and then the compensations of its steps. A step also depends on the steps that its input and its condition refer to. */
export function planOf({ steps }: WorkflowSource): PlannedStep[] {
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  const planned = steps.map((step): PlannedStep => {
    const {
      id,
      operation = null,
      workflow,
      forEach,
      concurrency = 10,
      sleep,
      waitFor,
      after = [],
      retry,
      onError,
    } = step
    const used = fieldsWithValues.flatMap((field) => stepsNamed(step[field], ''))
    const names = [...after, ...used.map(({ step: name }) => name)]
    return {
      id,
      operation,
      after: [...new Set(names.map((name) => places.get(name) as number))],
      maxAttempts: retry?.maxAttempts ?? 1,
      backoffMs: retry?.backoffMs ?? 0,
      continues: onError === 'continue',
      ...(workflow !== undefined && { workflow }),
      ...(forEach !== undefined && { concurrency }),
      ...(sleep !== undefined && { sleepMs: sleep }),
      ...(waitFor && { timeoutMs: waitFor.timeoutMs }),
    }
  })
  const compensations = steps.flatMap(({ id, compensate }, place): PlannedStep[] => {
    if (!compensate) return []
    const { maxAttempts, backoffMs } = planned[place]!
    const { operation } = compensate
    const of = { id: compensationOf(id), operation, compensates: place }
    return [{ ...of, after: [], maxAttempts, backoffMs, continues: true }]
  })
  return [...planned, ...compensations]
}
