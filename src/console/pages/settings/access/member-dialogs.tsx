/** Dialogs that invite a member and change a role. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useAccess, useApi } from '../../../data/context.ts'
import { useSession } from '../../../session/session.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { useOrganization, useOrganizationPath } from '../organization/use-organization.ts'
import { SecretOnce } from '../secret-once.tsx'

export interface Member {
  userId: string
  name: string
  email: string
  role: Role
}

type Role = 'owner' | 'admin' | 'member'

const meanings: [Role, string][] = [
  ['member', 'Member: access by grants'],
  ['admin', 'Admin: everything except deletion and billing'],
  ['owner', 'Owner: everything'],
]

function RoleField({ chosen }: { chosen: Role }) {
  const own = useOrganization()
  const mayMakeOwners = own.role === 'owner'
  return (
    <SelectField
      name="role"
      label="Role"
      defaultValue={chosen}
      hint={mayMakeOwners ? 'Takes effect on the next request.' : 'Only owners can assign the role owner.'}
    >
      {meanings.map(([role, meaning]) => (
        <option key={role} value={role} disabled={role === 'owner' && !mayMakeOwners}>
          {meaning}
        </option>
      ))}
    </SelectField>
  )
}

interface Invited {
  email: string
  /** Undefined if it was sent by mail. */
  token?: string | undefined
  expiresAt: string
}

export function AddMember({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const [invited, setInvited] = useState<Invited>()
  const add = useAction(
    (body: { email: string; role: Role }) => api.v1.organizations(organization).members.post(body),
    {
      changes: [['members'], ['invitations']],
      quiet: true,
      success: ({ invitation }) => `${invitation.email} invited`,
      done: ({ invitation: { email, ...rest } }) => setInvited({ email: email ?? '', ...rest }),
    },
  )
  if (invited?.token !== undefined) return <InvitationLink {...invited} token={invited.token} onDone={onClose} />
  if (invited) return <InvitationMailed {...invited} onDone={onClose} />
  return (
    <Dialog title="Add a member" open onClose={onClose}>
      <Form
        action={add}
        submit="Invite"
        onSubmit={(text) => add.run({ email: text('email'), role: text('role') as Role })}
      >
        <TextField
          name="email"
          label="Email"
          type="email"
          required
          hint="Invited people become members when they accept. A new invitation replaces the previous one."
        />
        <RoleField chosen="member" />
      </Form>
    </Dialog>
  )
}

/** Without mail, the inviting user shares the link. */
function InvitationLink({ email, token, expiresAt, onDone }: Invited & { token: string; onDone: () => void }) {
  const { origin } = useAccess()
  return (
    <SecretOnce title="Invitation" label="invitation link" secret={`${origin}/invitation#${token}`} onDone={onDone}>
      <p>
        Send this link to <strong>{email}</strong>. Anyone who opens it can join with an existing or a new account. It
        works once, until <AbsoluteTime at={expiresAt} />.
      </p>
      <details>
        <summary>Token only</summary>
        <code className="value-wrap">{token}</code>
      </details>
    </SecretOnce>
  )
}

const InvitationMailed = ({ email, expiresAt, onDone }: Invited & { onDone: () => void }) => (
  <Dialog title="Invitation" open onClose={onDone}>
    <div className="stack">
      <p>
        Sent to <strong>{email}</strong>. The link works once, until <AbsoluteTime at={expiresAt} />. If no mail
        arrives, invite the address again.
      </p>
      <Button tone="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  </Dialog>
)

export function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const { session, refresh } = useSession()
  const change = useAction(
    (role: Role) => api.v1.organizations(organization).members({ userId: member.userId }).patch({ role }),
    {
      success: ({ name, role }) => `${name} is now ${role}`,
      changes: [['members']],
      quiet: true,
      renews: async ({ userId }) => {
        if (userId === session.user.id) await refresh()
      },
      done: onClose,
    },
  )
  return (
    <Dialog title={`Role of ${member.name}`} open onClose={onClose}>
      <Form action={change} submit="Save" onSubmit={(text) => change.run(text('role') as Role)}>
        <RoleField chosen={member.role} />
      </Form>
    </Dialog>
  )
}
