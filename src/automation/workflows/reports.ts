/** Reports of steps and outputs to workflow runs. A run that is gone or has ended ignores them. */
import type { Actors } from '../../runtime/actors.ts'
import type { By } from '../../runtime/kind.ts'
import { isOver } from '../../runtime/refusals.ts'
import type { InvocationProgress } from '../operations/invocations/invocation.ts'
import { type WorkflowRunCommand, workflowRunAddress } from './actor.ts'
import { bytesOf } from './values.ts'

/** An event without the fields that the runtime adds. */
type Report = WorkflowRunCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'at' | 'chance'>
    : never
  : never

export async function report(actors: Actors, workflowRunId: string, event: Report, by?: By): Promise<void> {
  try {
    await actors.send(workflowRunAddress(workflowRunId), event, by && { by })
  } catch (error) {
    if (!isOver(error)) throw error
  }
}

/** Reports the progress of a step's invocation, or the end of its wait; may be repeated. */
export function reportStep(
  actors: Actors,
  { workflowRunId, stepId, attempt }: { workflowRunId: string; stepId: string; attempt: number },
  { state, output, error }: Pick<InvocationProgress, 'state' | 'output' | 'error'>,
): Promise<void> {
  const given = state === 'succeeded' ? { bytes: bytesOf(output), output } : { bytes: 0 }
  return report(actors, workflowRunId, { type: 'reported', stepId, attempt, invocation: state, cause: error, ...given })
}
