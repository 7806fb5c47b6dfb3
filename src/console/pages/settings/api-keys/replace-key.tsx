/** Replaces a key that expires by one with the same permissions and scope, which lives longer. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import type { Key } from '../../../data/queries.ts'
import { useResource } from '../../../data/resource.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { CheckField, Form, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { dayMs } from '../../../ui/instants.ts'
import { Shown } from '../../../ui/states.tsx'
import { AbsoluteTime, useNow } from '../../../ui/time.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { isLive } from './key-status.ts'
import { KeyWarnings, type Warning } from './key-warnings.tsx'
import { lives } from './new-key.tsx'

interface ReplaceKeyProps {
  keyId: string
  /** Key prefixes to refetch, besides those of keys. */
  changes: Key[]
  onClose: () => void
}

export function ReplaceKey({ keyId, changes, onClose }: ReplaceKeyProps) {
  const api = useApi()
  const now = useNow()
  const [made, setMade] = useState<{ secret: string; warnings?: Warning[] }>()
  const [revokes, setRevokes] = useState(false)
  const key = useResource(['keys', keyId], (options) => api.v1['api-keys']({ keyId }).get(options))
  const revoke = useAction(() => api.v1['api-keys']({ keyId }).revoke.post(), {
    success: 'Old key revoked',
    changes: [['keys'], ...changes],
    done: onClose,
  })
  const create = useAction(api.v1['api-keys'].post, {
    success: ({ name }) => `${name} replaced`,
    changes: [['keys']],
    quiet: true,
    done: setMade,
  })
  if (made !== undefined) {
    return (
      // the old key goes last: what shows it may close this dialog with it
      <SecretOnce
        title="New API key"
        label="secret"
        secret={made.secret}
        onDone={() => (revokes ? revoke.run() : onClose())}
      >
        <KeyWarnings warnings={made.warnings} />
        <p>{revokes ? 'The old key is revoked when you close this.' : 'The old key works until it expires.'}</p>
      </SecretOnce>
    )
  }
  return (
    <Dialog title="Replace the API key" open onClose={onClose}>
      <Shown resource={key}>
        {({ name, operations, projectId, environmentId, agentId, ...old }) => (
          <Form
            action={create}
            submit="Replace key"
            onSubmit={async (text) => {
              setRevokes(text('revoke') === 'on')
              await create.run({
                name: text('name'),
                operations,
                ...(projectId && { projectId }),
                ...(environmentId && { environmentId }),
                ...(agentId && { agentId }),
                expiresAt: new Date(Date.now() + Number(text('life')) * dayMs).toISOString(),
              })
            }}
          >
            <p>
              The new key has the same permissions and scope, and acts as you.{' '}
              {isLive(old, now) ? 'The old one expires' : 'The old one expired'} <AbsoluteTime at={old.expiresAt} />.
            </p>
            <TextField name="name" label="Name" required maxLength={200} defaultValue={name} />
            <SelectField name="life" label="Expires after" defaultValue="90">
              <Options of={lives} />
            </SelectField>
            <CheckField
              name="revoke"
              label="Revoke the old key at once"
              hint="Requests with the old key are refused from then on."
              defaultChecked={!isLive(old, now)}
            />
          </Form>
        )}
      </Shown>
    </Dialog>
  )
}
