/** One Connection: settings, consent, binding, deletion. */
import { useState } from 'react'
import { useResource } from '../../../data/resource.ts'
import { at } from '../../../places.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Id, Json } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { useIds, usePlace } from '../../../use-place.ts'
import { ConfigurationFrame, CountsWhenDeployed } from '../configuration-frame.tsx'
import { LifeActions, useLife } from '../life-actions.tsx'
import { Refusal } from '../refusal.tsx'
import { BindingText } from './binding-fields.tsx'
import { EditConnection, NewVersion } from './connection-dialogs.tsx'
import { connectionKinds } from './connection-kinds.ts'
import '../settings.css'

export default function ConnectionPage() {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const { connectionId } = useIds('connectionId')
  const [dialog, setDialog] = useState<'edit' | 'version'>()
  const close = () => setDialog(undefined)
  const one = environment.connections({ connectionId })
  const list = at(place, 'configuration', 'connections')

  const connection = useResource(['connections', environmentId, connectionId], (options) => one.get(options))
  const life = useLife({
    setStatus: (status) => one.patch({ status }),
    remove: () => one.delete(),
    changes: ['connections', environmentId],
    list: ['connections', environmentId, 'page'],
    listAt: list,
  })

  const { value } = connection
  return (
    <ConfigurationFrame
      title={value?.name ?? 'Connection'}
      badge={value && <StateBadge state={value.status} />}
      up={{ title: 'Connections', href: list }}
      actions={
        value && (
          <LifeActions
            life={life}
            name={value.name}
            status={value.status}
            needs={{ change: 'connections:update', remove: 'connections:delete' }}
            whenDisabled="Calls through the Connection fail while it is disabled."
            whenDeleted="All of its versions are deleted. A Connection pinned by a Configuration Revision cannot be deleted."
          >
            <Button needs="connections:update" tone="primary" onClick={() => setDialog('version')}>
              New version
            </Button>
            <Button needs="connections:update" onClick={() => setDialog('edit')}>
              Edit
            </Button>
          </LifeActions>
        )
      }
    >
      <Refusal action={life.remove} />
      <Shown resource={connection}>
        {(value) => (
          <>
            {value.statusReason && (
              <div className="banner banner-warning refusal" role="status">
                Disabled by the server: {value.statusReason}
              </div>
            )}
            <Facts
              facts={[
                ['Kind', connectionKinds[value.kind]],
                ['Bound to', <BindingText key="for" bound={value} none="not bound" />],
                ['Version', value.currentVersion.number],
                ['Version created', <AbsoluteTime key="since" at={value.currentVersion.createdAt} />],
                ['ID', <Id key="id" id={value.id} />],
              ]}
            />
            {value.oauth && (
              <Section title="Consent">
                <Facts
                  facts={[
                    [
                      'Account',
                      <span key="account" className="value-wrap">
                        {value.oauth.account.label}
                      </span>,
                    ],
                    ['Provider', value.oauth.presetKey],
                  ]}
                />
                <div className="row">
                  {value.oauth.scopes.map((scope) => (
                    <Tag key={scope}>{scope}</Tag>
                  ))}
                </div>
              </Section>
            )}
            <Section title="Settings">
              <Json value={value.settings} label="settings" />
              <p className="faint">The credential is not shown; choose it again for a new version.</p>
            </Section>
            <CountsWhenDeployed />
            {dialog === 'edit' && <EditConnection connection={value} onClose={close} />}
            {dialog === 'version' && <NewVersion connection={value} onClose={close} />}
          </>
        )}
      </Shown>
    </ConfigurationFrame>
  )
}
