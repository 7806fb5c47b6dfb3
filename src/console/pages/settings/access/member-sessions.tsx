/** Ends a member's sessions for this organization. */
import { useApi } from '../../../data/context.ts'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import type { Member } from './member-dialogs.tsx'

export function EndMemberSessions({ member: { userId, name } }: { member: Member }) {
  const api = useApi()
  const organization = useOrganizationPath()
  return (
    <ConfirmAction
      needs="organizations:manage-members"
      small
      tone="quiet"
      question={`End the sessions of ${name}?`}
      consequence="The member must sign in to this organization again. Sessions in other organizations and API keys are not affected."
      confirm="End sessions"
      aria-label={`End sessions of ${name}`}
      act={() => api.v1.organizations(organization).members({ userId }).sessions.delete()}
      options={{ success: `Sessions of ${name} ended` }}
    >
      End sessions
    </ConfirmAction>
  )
}
