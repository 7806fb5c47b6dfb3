/** How a workflow run has ended, reported to its starter: a step of another one, or a call of an Agent's run. */
import type { Cause } from '../../../../machines/words.ts'
import type { Store } from '../../../../storage/store.ts'
import { outputName, type WorkflowRunActor } from '../actor.ts'
import { readValues } from '../values.ts'

type WorkflowEnding =
  | { state: 'succeeded'; output: unknown; error: null }
  | { state: 'failed' | 'rejected'; output: null; error: Cause }

/** Undefined until the run has ended. */
export async function endingOf(store: Store, { row, context }: WorkflowRunActor): Promise<WorkflowEnding | undefined> {
  if (context.endedAt === null) return undefined
  if (row.state === 'completed') {
    const output = (await readValues(store, row.id)).get(outputName) ?? null
    return { state: 'succeeded', output, error: null }
  }
  if (row.state === 'canceled') {
    const error = { code: 'workflow_canceled', message: `The run ${row.id} was canceled.` }
    return { state: 'rejected', output: null, error }
  }
  const message = `The run ${row.id} failed: ${context.cause?.message ?? row.state}`
  return { state: 'failed', output: null, error: { code: 'workflow_failed', message } }
}
