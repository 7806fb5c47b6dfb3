/** Account: profile, organizations, sessions, password, theme. */
import { useState } from 'react'
import { Link } from 'wouter'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { at } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { ThemeSwitch } from '../../../shell/account-menu.tsx'
import { Tag } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Table } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { invalidField } from '../invalid-field.ts'
import '../settings.css'
import { Leave } from '../access/members.tsx'
import { useOrganization } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'
import { OwnSessions } from './own-sessions.tsx'

export default function AccountPage() {
  const { session, signOut } = useSession()
  const here = useOrganization()
  const { user, organizations } = session
  const leave = useAction(async () => {
    await signOut()
    return { data: undefined, error: null, status: 204 }
  })
  return (
    <SettingsPage
      title="Account"
      about="Profile, password and sessions."
      actions={
        <Button icon="out" pending={leave.pending} onClick={() => leave.run()}>
          Sign out
        </Button>
      }
    >
      <Facts
        facts={[
          ['Name', user.name],
          ['Email', user.email],
          ['ID', <Id key="id" id={user.id} />],
          ['Created', <AbsoluteTime key="since" at={user.createdAt} />],
        ]}
      />
      <Section title="Theme">
        <div className="panel-narrow">
          <ThemeSwitch />
        </div>
      </Section>
      <Section title="Organizations">
        <Table
          label="your organizations"
          items={organizations}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name, slug }) => <Link href={at({ organization: slug })}>{name}</Link> },
            { title: 'Role', cell: ({ role }) => <Tag>{role}</Tag> },
            { title: 'Actions', align: 'end', cell: ({ id }) => id === here.id && <Leave /> },
          ]}
        />
      </Section>
      <OwnSessions />
      <ChangePassword />
    </SettingsPage>
  )
}

function ChangePassword() {
  const api = useApi()
  // remount the form on success, so that no password stays in it
  const [turn, setTurn] = useState(0)
  const change = useAction(
    async ({ repeated, ...passwords }: Record<'current' | 'new' | 'repeated', string>) => {
      if (passwords.new !== repeated) throw invalidField('repeated', 'The passwords do not match.')
      return api.auth.password.post(passwords)
    },
    {
      success: 'Password changed; other sessions ended',
      changes: [['sessions']],
      quiet: true,
      done: () => setTurn(turn + 1),
    },
  )
  return (
    <Section title="Password">
      <div className="panel panel-narrow">
        <Form
          key={turn}
          action={change}
          submit="Change password"
          onSubmit={(_, data) => {
            const of = (name: string) => String(data.get(name))
            return change.run({ current: of('current'), new: of('new'), repeated: of('repeated') })
          }}
        >
          <TextField name="current" label="Current password" type="password" autoComplete="current-password" required />
          <TextField
            name="new"
            label="New password"
            type="password"
            autoComplete="new-password"
            minLength={8}
            required
            hint="8 to 128 characters; common passwords are refused. All other sessions end; API keys keep working."
          />
          <TextField name="repeated" label="Confirm password" type="password" autoComplete="new-password" required />
        </Form>
      </div>
    </Section>
  )
}
