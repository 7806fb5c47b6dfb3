/** Ends a member's sessions for this organization. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import type { Member } from './member-dialogs.tsx'

export function EndMemberSessions({ member: { userId, name } }: { member: Member }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const end = useAction(() => api.v1.organizations(organization).members({ userId }).sessions.delete(), {
    success: `Sessions of ${name} ended`,
  })
  return (
    <ConfirmButton
      small
      tone="quiet"
      question={`End the sessions of ${name}?`}
      consequence="The member must sign in to this organization again. Sessions in other organizations and API keys are not affected."
      confirm="End sessions"
      aria-label={`End sessions of ${name}`}
      pending={end.pending}
      onConfirm={() => end.run()}
    >
      End sessions
    </ConfirmButton>
  )
}
