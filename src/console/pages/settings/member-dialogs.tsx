/** Adds a member, or invites an address that has no user yet; changes what a member is. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { useAccess, useApi } from '../../data/context.ts'
import { useSession } from '../../session/session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/form.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { SecretOnce } from './secret-once.tsx'
import { useOrganization, useOrganizationPath } from './use-organization.ts'

export interface Member {
  userId: string
  name: string
  email: string
  role: Role
}

type Role = 'owner' | 'admin' | 'member'

const meanings: [Role, string][] = [
  ['member', 'Member: what access grants give'],
  ['admin', 'Admin: all but deletion and billing'],
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
      hint={mayMakeOwners ? 'It counts on the next request.' : 'Only owners make owners.'}
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
  token: string
  expiresAt: string
}

export function AddMember({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const { origin } = useAccess()
  const organization = useOrganizationPath()
  const [invited, setInvited] = useState<Invited>()
  const add = useAction(
    (body: { email: string; role: Role }) => api.v1.organizations(organization).members.post(body),
    {
      changes: [['members'], ['invitations']],
      quiet: true,
      success: ({ email, ...added }) => ('invitation' in added ? `${email} is invited` : `${email} is a member`),
      done: ({ email, ...added }) => {
        if ('invitation' in added) setInvited({ email, ...added.invitation })
        else onClose()
      },
    },
  )
  if (invited) {
    return (
      <SecretOnce
        title="Invitation"
        label="invitation link"
        secret={`${origin}/invitation#${invited.token}`}
        onDone={onClose}
      >
        <p>
          Send this link to <strong>{invited.email}</strong>. Whoever opens it chooses a name and a password and is a
          member. It works once, until <AbsoluteTime at={invited.expiresAt} />.
        </p>
        <details>
          <summary>Only the token</summary>
          <code className="value-wrap">{invited.token}</code>
        </details>
      </SecretOnce>
    )
  }
  return (
    <Dialog title="Add a member" open onClose={onClose}>
      <Form
        action={add}
        submit="Add"
        onSubmit={(text) => add.run({ email: text('email'), role: text('role') as Role })}
      >
        <TextField
          name="email"
          label="Email"
          type="email"
          required
          hint="An address that has no user yet gets an invitation: a link to hand on."
        />
        <RoleField chosen="member" />
      </Form>
    </Dialog>
  )
}

export function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const api = useApi()
  const organization = useOrganizationPath()
  const { session, refresh } = useSession()
  const change = useAction(
    (role: Role) => api.v1.organizations(organization).members({ userId: member.userId }).patch({ role }),
    {
      success: ({ name, role }) => `${name} is ${role} now`,
      changes: [['members']],
      quiet: true,
      done: ({ userId }) => {
        onClose()
        if (userId === session.user.id) void refresh()
      },
    },
  )
  return (
    <Dialog title={`What ${member.name} is`} open onClose={onClose}>
      <Form action={change} submit="Save" onSubmit={(text) => change.run(text('role') as Role)}>
        <RoleField chosen={member.role} />
      </Form>
    </Dialog>
  )
}
