/** One provider credential: versions, uses, status, deletion. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Tag } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { EndingBadge } from '../ending-badge.tsx'
import { LifeActions, useLife } from '../life-actions.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { Refusal } from '../refusal.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { EditCredential, NewSecret } from './credential-dialogs.tsx'
import { CredentialUses, RevokeVersion } from './credential-uses.tsx'
import { credentialTypeNames, providerNames } from './credential-words.ts'

export default function CredentialPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const organization = useOrganizationPath()
  const { credentialId } = useIds('credentialId')
  const [dialog, setDialog] = useState<'secret' | 'edit'>()
  const close = () => setDialog(undefined)
  const one = api.v1.organizations(organization)['provider-credentials']({ credentialId })
  const list = at(place, 'settings', 'credentials')

  const credential = useResource(['credentials', credentialId], (options) => one.get(options))
  const life = useLife({
    setStatus: (status) => one.patch({ status }),
    remove: () => one.delete(),
    changes: ['credentials'],
    list: ['credentials', 'list'],
    listAt: list,
  })

  const { value } = credential
  return (
    <SettingsPage
      title={value?.label ?? 'Credential'}
      badge={value && <EndingBadge {...value} />}
      up={{ title: 'Provider credentials', href: list }}
      actions={
        value && (
          <LifeActions
            life={life}
            name={value.label}
            status={value.status}
            needs={{ change: 'provider-credentials:update', remove: 'provider-credentials:delete' }}
            whenDisabled="Runs and operations that use any of its versions fail while it is disabled."
            whenDeleted="All of its versions are deleted. A credential pinned by an active Deployment cannot be deleted."
          >
            <Button needs="provider-credentials:versions:create" tone="primary" onClick={() => setDialog('secret')}>
              Rotate
            </Button>
            <Button needs="provider-credentials:update" onClick={() => setDialog('edit')}>
              Edit
            </Button>
          </LifeActions>
        )
      }
    >
      <Refusal action={life.remove} />
      <Shown resource={credential}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['Provider', providerNames[value.provider]],
                ['Type', credentialTypeNames[value.credentialType]],
                ['Expires', value.expiresAt ? <AbsoluteTime key="ends" at={value.expiresAt} /> : 'never'],
                ['ID', <Id key="id" id={value.id} />],
                ['Created', <AbsoluteTime key="created" at={value.createdAt} />],
              ]}
            />
            <Section title="Versions">
              <Table
                label="versions"
                items={value.versions.toReversed()}
                keyOf={({ version }) => String(version)}
                columns={[
                  {
                    title: 'Version',
                    cell: ({ version }) => (
                      <span className="row">
                        {version} {version === value.currentVersion && <Tag>current</Tag>}
                      </span>
                    ),
                  },
                  { title: 'Stored', cell: ({ createdAt }) => <AbsoluteTime at={createdAt} /> },
                  {
                    title: 'Revoked',
                    cell: ({ version, revokedAt }) =>
                      revokedAt ? (
                        <AbsoluteTime at={revokedAt} />
                      ) : (
                        <RevokeVersion credentialId={value.id} version={version} />
                      ),
                  },
                ]}
              />
            </Section>
            <CredentialUses credentialId={value.id} />
            {dialog === 'secret' && <NewSecret credentialId={value.id} onClose={close} />}
            {dialog === 'edit' && <EditCredential credential={value} onClose={close} />}
          </>
        )}
      </Shown>
    </SettingsPage>
  )
}
