/** One user group: name, members, deletion. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Section } from '../../../ui/page.tsx'
import { Empty, Shown } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { UserField } from './subject-fields.tsx'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

/** The group in the address. */
function useGroup() {
  const api = useApi()
  const organization = useOrganizationPath()
  const { userGroupId } = useIds('userGroupId')
  return { userGroupId, group: api.v1.organizations(organization)['user-groups']({ userGroupId }) }
}

export default function GroupPage() {
  const { userGroupId, group } = useGroup()
  const place = organizationOf(usePlace())
  const [dialog, setDialog] = useState<'rename' | 'add'>()
  const close = () => setDialog(undefined)
  const found = useResource(['groups', userGroupId], (options) => group.get(options))
  return (
    <SettingsPage
      title={found.value?.name ?? 'Group'}
      up={{ title: 'Groups', href: at(place, 'settings', 'groups') }}
      actions={
        found.value && (
          <>
            <Button
              needs="organizations:manage-user-groups"
              icon="plus"
              tone="primary"
              onClick={() => setDialog('add')}
            >
              Add a member
            </Button>
            <Button needs="organizations:manage-user-groups" onClick={() => setDialog('rename')}>
              Rename
            </Button>
            <Delete name={found.value.name} />
          </>
        )
      }
    >
      <Shown resource={found} rows={2}>
        {({ name }) => (
          <>
            <GroupMembers />
            {dialog === 'rename' && <Rename name={name} onClose={close} />}
            {dialog === 'add' && <Add onClose={close} />}
          </>
        )}
      </Shown>
    </SettingsPage>
  )
}

function GroupMembers() {
  const { userGroupId, group } = useGroup()
  const members = usePages(['groups', userGroupId, 'members'], (options, page) =>
    group.members.get({ ...options, query: page }),
  )
  return (
    <Section title="Members">
      <DataTable
        label="members of the group"
        pages={members}
        keyOf={({ userId }) => userId}
        columns={[
          {
            title: 'Member',
            cell: ({ name, email }) => (
              <span className="cell-main">
                <span>{name}</span>
                <span className="faint">{email}</span>
              </span>
            ),
          },
          { title: 'Member since', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: ({ userId, name }) => (
              <ConfirmAction
                needs="organizations:manage-user-groups"
                small
                tone="quiet"
                question={`Remove ${name} from the group?`}
                consequence="Access granted through the group ends. The member stays in the organization."
                confirm="Remove"
                aria-label={`Remove ${name}`}
                act={() => group.members({ userId }).delete()}
                options={{ success: `${name} removed from the group`, changes: [['groups', userGroupId, 'members']] }}
              >
                Remove
              </ConfirmAction>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="No members yet">
            Add members of the organization to the group.
          </Empty>
        }
      />
    </Section>
  )
}

function Rename({ name, onClose }: { name: string; onClose: () => void }) {
  const { group } = useGroup()
  const rename = useAction((name: string) => group.patch({ name }), {
    success: 'Renamed',
    changes: [['groups']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Rename group" open onClose={onClose}>
      <Form action={rename} submit="Rename" onSubmit={(text) => rename.run(text('name'))}>
        <TextField name="name" label="Name" required maxLength={200} defaultValue={name} />
      </Form>
    </Dialog>
  )
}

function Add({ onClose }: { onClose: () => void }) {
  const { userGroupId, group } = useGroup()
  const add = useAction((userId: string) => group.members.post({ userId }), {
    success: ({ name }) => `${name} added to the group`,
    changes: [['groups', userGroupId, 'members']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Add a member" open onClose={onClose}>
      <Form action={add} submit="Add" onSubmit={(text) => add.run(text('userId'))}>
        <UserField name="userId" label="Member" />
      </Form>
    </Dialog>
  )
}

function Delete({ name }: { name: string }) {
  const { group } = useGroup()
  const place = organizationOf(usePlace())
  return (
    <ConfirmAction
      needs="organizations:manage-user-groups"
      question={`Delete ${name}?`}
      consequence="Its access grants end on the next request of its members. The members stay in the organization."
      act={() => group.delete()}
      options={{
        success: `${name} deleted`,
        changes: [['groups', 'list'], ['groups', 'all'], ['access-grants']],
        opens: () => at(place, 'settings', 'groups'),
      }}
    >
      Delete
    </ConfirmAction>
  )
}
