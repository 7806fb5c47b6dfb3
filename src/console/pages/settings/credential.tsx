/** One provider credential: its versions, its status, its end. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Facts, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { EditCredential, NewSecret } from './credential-dialogs.tsx'
import { credentialTypeNames, providerNames } from './credential-words.ts'
import { EndingBadge } from './ending-badge.tsx'
import { Refusal } from './refusal.tsx'
import { SettingsPage } from './settings-page.tsx'
import { useOrganizationPath } from './use-organization.ts'

export default function CredentialPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const organization = useOrganizationPath()
  const [, navigate] = useLocation()
  const { credentialId } = useIds('credentialId')
  const [dialog, setDialog] = useState<'secret' | 'edit'>()
  const close = () => setDialog(undefined)
  const one = api.v1.organizations(organization)['provider-credentials']({ credentialId })

  const credential = useResource(['credentials', credentialId], (options) => one.get(options))
  const setStatus = useAction((status: 'active' | 'disabled') => one.patch({ status }), {
    success: ({ status }) => (status === 'active' ? 'It can be used again' : 'Nothing can use it now'),
    changes: [['credentials']],
  })
  const remove = useAction(() => one.delete(), {
    success: 'Deleted',
    changes: [['credentials', 'list']],
    quiet: true,
    done: () => navigate(at(place, 'settings', 'credentials')),
  })

  const { value } = credential
  return (
    <SettingsPage
      title={value?.label ?? 'Credential'}
      badge={value && <EndingBadge {...value} />}
      up={{ title: 'Provider credentials', href: at(place, 'settings', 'credentials') }}
      actions={
        value && (
          <>
            <Button tone="primary" onClick={() => setDialog('secret')}>
              Rotate
            </Button>
            <Button onClick={() => setDialog('edit')}>Change</Button>
            {value.status === 'disabled' ? (
              <Button pending={setStatus.pending} onClick={() => setStatus.run('active')}>
                Enable
              </Button>
            ) : (
              <ConfirmButton
                tone="plain"
                question={`Disable ${value.label}?`}
                consequence="Nothing can use any of its versions while it is disabled: runs and operations that pin one fail."
                confirm="Disable"
                pending={setStatus.pending}
                onConfirm={() => setStatus.run('disabled')}
              >
                Disable
              </ConfirmButton>
            )}
            <ConfirmButton
              question={`Delete ${value.label}?`}
              consequence="With all of its versions. Not while an active Deployment pins one of them."
              pending={remove.pending}
              onConfirm={() => remove.run()}
            >
              Delete
            </ConfirmButton>
          </>
        )
      }
    >
      <Refusal action={remove} />
      <Shown resource={credential}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['For', providerNames[value.provider]],
                ['Type', credentialTypeNames[value.credentialType]],
                ['Ends', value.expiresAt ? <AbsoluteTime key="ends" at={value.expiresAt} /> : 'never'],
                ['Id', <Id key="id" id={value.id} />],
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
                ]}
              />
            </Section>
            {dialog === 'secret' && <NewSecret credentialId={value.id} onClose={close} />}
            {dialog === 'edit' && <EditCredential credential={value} onClose={close} />}
          </>
        )}
      </Shown>
    </SettingsPage>
  )
}
