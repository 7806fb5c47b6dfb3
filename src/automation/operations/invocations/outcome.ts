/** The outcome of an invocation for its callers. Pure. Source: contract 5, 6. */
import type { Cause } from '../../../../machines/words.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import { closings } from '../../../runs/runner/conversation/messages.ts'
import { type CallOutcome, isCallFailure } from '../../../runs/runner/protocol/protocol.ts'
import type { InvocationProgress } from './invocation.ts'

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

export const progressOf = ({
  id,
  state,
  output,
  error,
  approval_id,
}: Pick<InvocationRow, 'id' | 'state' | 'output' | 'error' | 'approval_id'>): InvocationProgress => ({
  id,
  state,
  output: parsed(output),
  error: parsed(error) as Cause | null,
  approvalId: approval_id,
})

const failed = ({ error }: InvocationProgress): CallOutcome => {
  const { code, message } = error ?? closings.unknown.error
  return { error: isCallFailure({ code, message }) ? { code, message } : { code: 'tool_error', message } }
}

/** By state: the result for the model of the run. */
const outcomes: Partial<Record<InvocationProgress['state'], (progress: InvocationProgress) => CallOutcome>> = {
  succeeded: ({ output }) => ({ result: output }),
  failed,
  rejected: failed,
  unknown: failed,
}

/** The result for the model of the run; undefined while there is none. */
export const callOutcomeOf = (progress: InvocationProgress): CallOutcome | undefined =>
  outcomes[progress.state]?.(progress)
