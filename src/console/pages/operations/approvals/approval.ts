/** Approvals as the console reads and decides them. */
import type { Approval } from '../../../../automation/approvals/schema.ts'
import { useApi } from '../../../data/context.ts'
import type { Key } from '../../../data/queries.ts'
import type { Place } from '../../../places.ts'
import { inboxKey } from '../../../shell/inbox-count.tsx'

export type { Approval }

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'canceled'] as const

export type Decision = 'approve' | 'reject'

/** The place of an approval: in the address of the page of its Environment, and in each item of the inbox. */
export interface ApprovalPlace extends Place {
  projectId: string
  environmentId: string
}

export function useApprovals({ projectId, environmentId }: ApprovalPlace) {
  const api = useApi()
  return api.v1.projects({ projectId }).environments({ environmentId })['operation-approvals']
}

/** What a decision changes. */
export const changes: Key[] = [inboxKey, ['approvals'], ['invocations'], ['workflows'], ['runs']]

export const consequences: Record<Decision, string> = {
  approve: 'Approved, it is executed at once with this input. This cannot be undone.',
  reject: 'Rejected, it is not executed: the run or workflow that called it continues without a result.',
}
