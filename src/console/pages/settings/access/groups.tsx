/** User groups, and the form for a new one. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { at, organizationOf } from '../../../places.ts'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { useOpened } from '../../../use-opened.ts'
import { usePlace } from '../../../use-place.ts'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

export default function GroupsPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const organization = useOrganizationPath()
  const [creating, setCreating] = useOpened('new')
  const groups = usePages(['groups', 'list'], (options, page) =>
    api.v1.organizations(organization)['user-groups'].get({ ...options, query: page }),
  )
  const begin = (
    <NewButton needs="organizations:manage-user-groups" onClick={() => setCreating(true)}>
      New group
    </NewButton>
  )
  return (
    <SettingsPage
      title="Groups"
      about="Groups of members, for access grants in Projects."
      actions={begin}
      failure={groups.failure}
    >
      <DataTable
        label="groups"
        pages={groups}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'settings', 'groups', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'ID', cell: ({ id }) => <Id id={id} /> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <Empty icon="people" title="No groups yet" action={begin}>
            Add members to a group, and grant it access to Projects. Changes of membership take effect on the next
            request.
          </Empty>
        }
      />
      {creating && <NewGroup onClose={() => setCreating(false)} />}
    </SettingsPage>
  )
}

function NewGroup({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const place = organizationOf(usePlace())
  const organization = useOrganizationPath()
  const create = useAction((name: string) => api.v1.organizations(organization)['user-groups'].post({ name }), {
    success: ({ name }) => `${name} created`,
    changes: [['groups']],
    quiet: true,
    opens: ({ id }) => at(place, 'settings', 'groups', id),
  })
  return (
    <Dialog title="New group" open onClose={onClose}>
      <Form action={create} submit="Create group" onSubmit={(text) => create.run(text('name'))}>
        <TextField name="name" label="Name" required maxLength={200} hint="Unique in the organization." />
      </Form>
    </Dialog>
  )
}
