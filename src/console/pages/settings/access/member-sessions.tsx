/** Ends the sessions of a member for this organization. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import type { Member } from './member-dialogs.tsx'

export function EndMemberSessions({ member: { userId, name } }: { member: Member }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const end = useAction(() => api.v1.organizations(organization).members({ userId }).sessions.delete(), {
    success: `The sessions of ${name} have ended here`,
  })
  return (
    <ConfirmButton
      small
      tone="quiet"
      question={`End the sessions of ${name}?`}
      consequence="They are over for this organization, from the next request on, until the member signs in again. In other organizations they go on, and so do API keys."
      confirm="End sessions"
      aria-label={`End sessions of ${name}`}
      pending={end.pending}
      onConfirm={() => end.run()}
    >
      End sessions
    </ConfirmButton>
  )
}
