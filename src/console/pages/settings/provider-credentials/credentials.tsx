/** Provider credentials, and the form for a new one. */
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Empty, Notice, Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useOpened } from '../../../use-opened.ts'
import { usePlace } from '../../../use-place.ts'
import { EndingBadge } from '../ending-badge.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'
import { NewCredential } from './credential-dialogs.tsx'
import { credentialTypeNames, providerNames } from './credential-words.ts'

export default function CredentialsPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const organization = useOrganizationPath()
  const [creating, setCreating] = useOpened('new')
  const credentials = useResource(['credentials', 'list'], (options) =>
    api.v1.organizations(organization)['provider-credentials'].get(options),
  )
  // the API answers 404 without permission, as for all secrets
  const isBarred = credentials.failure?.status === 404
  const begin = (
    <NewButton needs="provider-credentials:create" onClick={() => setCreating(true)}>
      New credential
    </NewButton>
  )
  return (
    <SettingsPage
      title="Provider credentials"
      about="Secrets for models and Connections, stored encrypted and never shown again."
      actions={begin}
      failure={credentials.failure}
    >
      {isBarred ? (
        <Notice icon="lock" title="Access denied" urgent>
          <p>You need the permission provider-credentials:list.</p>
        </Notice>
      ) : (
        <Shown resource={credentials}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="lock" title="No credentials yet" action={begin}>
                Credentials authenticate Agents to model providers, and Connections to their services.
              </Empty>
            ) : (
              <Table
                label="provider credentials"
                items={items}
                keyOf={({ id }) => id}
                href={({ id }) => at(place, 'settings', 'credentials', id)}
                columns={[
                  { title: 'Label', cell: ({ label }) => label },
                  { title: 'Provider', cell: ({ provider }) => providerNames[provider] },
                  { title: 'Type', cell: ({ credentialType }) => credentialTypeNames[credentialType] },
                  { title: 'Status', cell: (credential) => <EndingBadge {...credential} /> },
                  { title: 'Version', align: 'end', cell: ({ currentVersion }) => currentVersion },
                  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
              />
            )
          }
        </Shown>
      )}
      {creating && <NewCredential onClose={() => setCreating(false)} />}
    </SettingsPage>
  )
}
