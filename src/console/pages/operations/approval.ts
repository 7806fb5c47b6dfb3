/** Approvals as the console reads and decides them. */
import type { Approval } from '../../../automation/approvals/schema.ts'
import { useAction } from '../../data/action.ts'
import { useEnvironment } from '../../use-environment.ts'

export type { Approval }

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'canceled'] as const

export type Decision = 'approve' | 'reject'

/** Decides an approval. If it was already decided, that decision is shown. */
export function useDecision({ id: approvalId, operation }: Approval, decision: Decision, done: () => void) {
  const { environmentId, environment } = useEnvironment()
  return useAction(
    (note: string) => environment['operation-approvals']({ approvalId })[decision].post(note === '' ? {} : { note }),
    {
      success: `${operation} is ${decision === 'approve' ? 'approved' : 'rejected'}`,
      changes: [['approvals', environmentId], ['invocations', environmentId], ['workflows']],
      done,
      quiet: true,
    },
  )
}
