/** Provider credentials: versioned secrets for models and Connections. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Empty, Notice, Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
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
  const [creating, setCreating] = useState(false)
  const credentials = useResource(['credentials', 'list'], (options) =>
    api.v1.organizations(organization)['provider-credentials'].get(options),
  )
  // the API answers 404 to users who may not see them, as for all secrets
  const isBarred = credentials.failure?.status === 404
  const begin = (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      New credential
    </Button>
  )
  return (
    <SettingsPage
      title="Provider credentials"
      about="Secrets of the organization, for models and Connections. They are stored encrypted and never shown again."
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
                Agents use a vendor's models with its key, and Connections send a credential to the service that they
                lead to.
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
                  { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
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
