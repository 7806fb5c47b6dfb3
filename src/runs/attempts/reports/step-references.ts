/** Checks the steps that a report references. */
import { getStep } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'

/** `named` maps each step to its path in the body. Throws 422 for steps that do not belong to the run. */
export async function assertSteps(store: Store, runId: string, named: ReadonlyMap<number, string>): Promise<void> {
  const issues: Issue[] = []
  for (const [agentStepId, path] of named) {
    if (await store.first(getStep(store, { runId, agentStepId }))) continue
    issues.push({ path, message: 'Must be a step of this run.' })
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
}
