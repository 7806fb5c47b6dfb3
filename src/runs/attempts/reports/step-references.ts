/** Steps that the body of a report names. */
import { getStep } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'

/** `named`: by step, where the body names it. Throws 422 for those that are no steps of the run. */
export async function assertSteps(store: Store, runId: string, named: ReadonlyMap<number, string>): Promise<void> {
  const issues: Issue[] = []
  for (const [agentStepId, path] of named) {
    if (await store.first(getStep(store, { runId, agentStepId }))) continue
    issues.push({ path, message: 'Is no step of this run.' })
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
}
