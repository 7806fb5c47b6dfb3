/** Members and pending invitations. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { useSession } from '../../../session/session.ts'
import { Tag } from '../../../ui/badge.tsx'
import { Button, NewButton } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Section } from '../../../ui/page.tsx'
import { SearchedTable } from '../../../ui/search/searched-table.tsx'
import { useListSearch } from '../../../ui/search/use-list-search.ts'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { AddMember, ChangeRole, type Member } from './member-dialogs.tsx'
import { EndMemberSessions } from './member-sessions.tsx'
import '../settings.css'
import { useOpened } from '../../../use-opened.ts'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

export default function MembersPage() {
  const api = useApi()
  const organization = useOrganizationPath()
  const { session } = useSession()
  const [adding, setAdding] = useOpened('new')
  const [changing, setChanging] = useState<Member>()
  const narrowing = useListSearch()
  const members = usePages(['members', 'list', narrowing.filter], (options, page) =>
    api.v1.organizations(organization).members.get({ ...options, query: { ...page, ...narrowing.filter } }),
  )
  return (
    <SettingsPage
      title="Members"
      about="Owners can do everything, admins everything except deletion and billing. Members get access by grants in Projects."
      failure={members.failure}
      actions={
        <NewButton needs="organizations:manage-members" onClick={() => setAdding(true)}>
          Add a member
        </NewButton>
      }
    >
      <SearchedTable
        label="members"
        narrowing={narrowing}
        pages={members}
        keyOf={({ userId }) => userId}
        columns={[
          {
            title: 'Member',
            cell: ({ userId, name, email, emailVerified }) => (
              <span className="cell-main">
                <span>
                  {name} {userId === session.user.id && <Tag>you</Tag>}
                </span>
                <span className="faint">
                  {email} {!emailVerified && <Tag>not verified</Tag>}
                </span>
              </span>
            ),
          },
          { title: 'Role', cell: ({ role }) => <Tag>{role}</Tag> },
          { title: 'Joined', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: (member) => (
              <span className="cell-actions">
                <Button
                  needs="organizations:manage-members"
                  small
                  onClick={() => setChanging(member)}
                  aria-label={`Change the role of ${member.name}`}
                >
                  Role
                </Button>
                {member.userId !== session.user.id && <EndMemberSessions member={member} />}
                {member.userId === session.user.id ? <Leave /> : <Remove member={member} />}
              </span>
            ),
          },
        ]}
        empty={<Empty icon="people" title="No members" />}
      />
      <Invitations />
      {adding && <AddMember onClose={() => setAdding(false)} />}
      {changing && <ChangeRole member={changing} onClose={() => setChanging(undefined)} />}
    </SettingsPage>
  )
}

const consequence =
  'Group memberships and access grants end, and API keys for this organization and tokens of runner pools are revoked, with effect on the next request.'

function Remove({ member: { userId, name } }: { member: Member }) {
  const api = useApi()
  const organization = useOrganizationPath()
  return (
    <ConfirmAction
      needs="organizations:manage-members"
      small
      tone="quiet"
      question={`Remove ${name}?`}
      consequence={consequence}
      confirm="Remove"
      aria-label={`Remove ${name}`}
      act={() => api.v1.organizations(organization).members({ userId }).delete()}
      options={{ success: `${name} removed`, changes: [['members'], ['groups']] }}
    >
      Remove
    </ConfirmAction>
  )
}

/** Every member except the last owner may leave. */
export function Leave() {
  const api = useApi()
  const organization = useOrganizationPath()
  const { session, refresh } = useSession()
  return (
    <ConfirmAction
      small
      tone="quiet"
      question="Leave this organization?"
      consequence={`You lose access to it. ${consequence}`}
      confirm="Leave"
      act={() => api.v1.organizations(organization).members({ userId: session.user.id }).delete()}
      options={{ success: 'You left the organization', renews: refresh }}
    >
      Leave
    </ConfirmAction>
  )
}

function Invitations() {
  const api = useApi()
  const organization = useOrganizationPath()
  const invitations = usePages(['invitations'], (options, page) =>
    api.v1.organizations(organization).invitations.get({ ...options, query: page }),
  )
  // without permission for members there is none for invitations
  if (invitations.failure?.status === 403) return null
  return (
    <Section title="Invitations">
      <DataTable
        label="invitations"
        pages={invitations}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Member', cell: ({ email, userId }) => email ?? <Id id={userId ?? ''} /> },
          { title: 'Role', cell: ({ role }) => <Tag>{role}</Tag> },
          { title: 'Invited', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: ({ id, email, userId }) => (
              <ConfirmAction
                needs="organizations:manage-members"
                small
                tone="quiet"
                question={`Withdraw the invitation for ${email ?? userId}?`}
                consequence="Its link stops working."
                confirm="Withdraw"
                aria-label={`Withdraw the invitation for ${email ?? userId}`}
                act={() => api.v1.organizations(organization).invitations({ invitationId: id }).delete()}
                options={{ success: 'Invitation withdrawn', changes: [['invitations']] }}
              >
                Withdraw
              </ConfirmAction>
            ),
          },
        ]}
        empty={<p className="faint">No pending invitations.</p>}
      />
    </Section>
  )
}
