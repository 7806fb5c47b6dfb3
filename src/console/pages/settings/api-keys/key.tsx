/** One API key: permissions, scope, rotation, revocation. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Author } from '../../../ui/author.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { instantOf, localOf } from '../../../ui/instants.ts'
import { Facts, Section } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { AbsoluteTime, Time, useNow } from '../../../ui/time.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { PermissionList } from '../access/permission-list.tsx'
import { EndingBadge } from '../ending-badge.tsx'
import { isLive } from './key-status.ts'
import { RotateKey } from './rotate-key.tsx'
import '../settings.css'
import { SettingsPage } from '../settings-page.tsx'

export default function ApiKeyPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const { keyId } = useIds('keyId')
  const now = useNow()
  const [changing, setChanging] = useState(false)
  const [rotating, setRotating] = useState(false)
  const key = useResource(['keys', keyId], (options) => api.v1['api-keys']({ keyId }).get(options))
  const { value } = key
  return (
    <SettingsPage
      title={value?.name ?? 'API key'}
      badge={value && <EndingBadge {...value} />}
      up={{ title: 'API keys', href: at(place, 'settings', 'keys') }}
      actions={
        value &&
        isLive(value, now) && (
          <>
            <Button needs="api-keys:update" onClick={() => setChanging(true)}>
              Edit
            </Button>
            <Button needs="api-keys:create" onClick={() => setRotating(true)}>
              Rotate
            </Button>
            <ConfirmAction
              needs="api-keys:revoke"
              question={`Revoke ${value.name}?`}
              consequence="Requests with this key are refused at once. This cannot be undone."
              act={() => api.v1['api-keys']({ keyId }).revoke.post()}
              options={{ success: 'Revoked', changes: [['keys']] }}
            >
              Revoke
            </ConfirmAction>
          </>
        )
      }
    >
      <Shown resource={key}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['Prefix', <code key="prefix">{value.prefix}…</code>],
                ['Acts for', <Author key="by" by={{ type: 'user', id: value.createdBy }} />],
                ['Last used', <Time key="used" at={value.lastUsedAt} />],
                ['Expires', <AbsoluteTime key="ends" at={value.expiresAt} />],
                ['Created', <AbsoluteTime key="created" at={value.createdAt} />],
                ['Project', <Bound key="project" id={value.projectId} />],
                ['Environment', <Bound key="environment" id={value.environmentId} />],
                ['Agent', <Bound key="agent" id={value.agentId} />],
              ]}
            />
            <Section title="Permissions">
              <PermissionList permissions={value.operations} />
              <p className="faint">
                Limited to the permissions of its creator at the time of each request. Permissions of a key are
                immutable.
              </p>
            </Section>
            {rotating && <RotateKey apiKey={value} onClose={() => setRotating(false)} />}
            {changing && <ChangeKey apiKey={value} onClose={() => setChanging(false)} />}
          </>
        )}
      </Shown>
    </SettingsPage>
  )
}

const Bound = ({ id }: { id: string | null }) => (id === null ? <span className="faint">all</span> : <Id id={id} />)

interface ChangeKeyProps {
  apiKey: { id: string; name: string; expiresAt: string }
  onClose: () => void
}

function ChangeKey({ apiKey: { id: keyId, name, expiresAt }, onClose }: ChangeKeyProps) {
  const api = useApi()
  const end = localOf(expiresAt)
  const change = useAction((body: { name: string; expiresAt?: string }) => api.v1['api-keys']({ keyId }).patch(body), {
    success: 'Saved',
    changes: [['keys']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Edit API key" open onClose={onClose}>
      <Form
        action={change}
        submit="Save"
        onSubmit={(text) => {
          // the field has minute precision: send only a changed value
          const earlier = text('expiresAt') === end ? undefined : instantOf(text('expiresAt'))
          return change.run({ name: text('name'), ...(earlier && { expiresAt: earlier }) })
        }}
      >
        <TextField name="name" label="Name" required maxLength={200} defaultValue={name} />
        <TextField
          name="expiresAt"
          label="Expires"
          type="datetime-local"
          required
          defaultValue={end}
          hint="The expiry can only be brought forward."
        />
      </Form>
    </Dialog>
  )
}
