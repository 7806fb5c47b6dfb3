/** Runner pools, and the form for a new one. */
import { useAction } from '../../../data/action.ts'
import { useAccess, useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { at, organizationOf } from '../../../places.ts'
import { Tag } from '../../../ui/badge.tsx'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { CheckField, Form, TextField } from '../../../ui/forms/form.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { useOpened } from '../../../use-opened.ts'
import { usePlace } from '../../../use-place.ts'
import { SettingsPage } from '../settings-page.tsx'

/** Runs that the pool's runners may execute. */
export const scopeOf = ({ scope, exclusive }: { scope: 'organization' | 'deployment'; exclusive: boolean }) => {
  if (scope === 'deployment') return 'all organizations'
  return exclusive ? 'this organization, exclusive' : 'this organization'
}

export default function RunnerPoolsPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const [creating, setCreating] = useOpened('new')
  const pools = usePages(['runner-pools', 'list'], (options, page) =>
    api.v1['runner-pools'].get({ ...options, query: page }),
  )
  const begin = (
    <NewButton needs="organizations:update" onClick={() => setCreating(true)}>
      New pool
    </NewButton>
  )
  return (
    <SettingsPage
      title="Runner pools"
      about="Runners outside the server register with a pool token. Runners in an organization's pool execute only that organization's runs."
      actions={begin}
      failure={pools.failure}
    >
      <DataTable
        label="runner pools"
        pages={pools}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'settings', 'runners', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Runs of', cell: (pool) => <Tag>{scopeOf(pool)}</Tag> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <Empty icon="key" title="No runner pools yet" action={begin}>
            Without a pool, the server's own pool executes the organization's runs.
          </Empty>
        }
      />
      {creating && <NewPool onClose={() => setCreating(false)} />}
    </SettingsPage>
  )
}

function NewPool({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const place = organizationOf(usePlace())
  const create = useAction((body: { name: string; exclusive: boolean }) => api.v1['runner-pools'].post(body), {
    success: ({ name }) => `${name} created`,
    changes: [['runner-pools']],
    quiet: true,
    opens: ({ id }) => at(place, 'settings', 'runners', id),
  })
  return (
    <Dialog title="New runner pool" open onClose={onClose}>
      <Form
        action={create}
        submit="Create pool"
        onSubmit={(text, data) => create.run({ name: text('name'), exclusive: data.has('exclusive') })}
      >
        <TextField name="name" label="Name" required maxLength={200} />
        <ExclusiveField />
      </Form>
    </Dialog>
  )
}

/** Whether the organization's runs go to its own pools only. */
export const ExclusiveField = ({ exclusive = false }: { exclusive?: boolean }) => (
  <CheckField
    name="exclusive"
    label="Exclusive"
    defaultChecked={exclusive}
    hint="The organization's runs go to its own pools only. If none of their runners is available, runs wait in the queue."
  />
)

/** Command that starts a runner with a token. */
export function StartRunner() {
  const { origin } = useAccess()
  return (
    <>
      <p>Start a runner with it:</p>
      <Code label="example" wrap text={`TROUPE_SERVER_URL=${origin} TROUPE_RUNNER_TOKEN=… npm run runner`} />
    </>
  )
}
