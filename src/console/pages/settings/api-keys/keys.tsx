/** API keys, and the form for a new one. */
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { at, organizationOf } from '../../../places.ts'
import { Tag } from '../../../ui/badge.tsx'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useOpened } from '../../../use-opened.ts'
import { usePlace } from '../../../use-place.ts'
import { permissionWords } from '../access/permission-list.tsx'
import { EndingBadge } from '../ending-badge.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { NewKey } from './new-key.tsx'

/** Scope of a key in a word. */
export const boundTo = (key: { projectId: string | null; environmentId: string | null; agentId: string | null }) => {
  const parts = [key.projectId && 'Project', key.environmentId && 'Environment', key.agentId && 'Agent']
  return parts.filter(Boolean).join(', ') || 'organization'
}

export default function ApiKeysPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const [creating, setCreating] = useOpened('new')
  const keys = usePages(['keys', 'list'], (options, page) => api.v1['api-keys'].get({ ...options, query: page }))
  const begin = (
    <NewButton needs="api-keys:create" onClick={() => setCreating(true)}>
      New key
    </NewButton>
  )
  return (
    <SettingsPage
      title="API keys"
      about="Keys for programs. A key acts as the user who created it, limited to its permissions and scope."
      actions={begin}
      failure={keys.failure}
    >
      <DataTable
        label="API keys"
        pages={keys}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'settings', 'keys', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Prefix', cell: ({ prefix }) => <code>{prefix}…</code> },
          { title: 'Status', cell: (key) => <EndingBadge {...key} /> },
          { title: 'Permissions', cell: ({ operations }) => permissionWords(operations) },
          { title: 'Bound to', cell: (key) => <Tag>{boundTo(key)}</Tag> },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        ]}
        empty={
          <Empty icon="key" title="No API keys yet" action={begin}>
            Programs authenticate with a key: <code>Authorization: Bearer trp_…</code>
          </Empty>
        }
      />
      {creating && <NewKey onClose={() => setCreating(false)} />}
    </SettingsPage>
  )
}
