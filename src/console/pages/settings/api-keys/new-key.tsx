/** Form for a new API key. The secret is shown once. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useAccess, useApi } from '../../../data/context.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { dayMs, instantOf, localOf } from '../../../ui/instants.ts'
import { Code } from '../../../ui/text/code.tsx'
import { isReading, keyPermissions, shortened } from '../access/permission-families.ts'
import { PermissionPicker } from '../access/permission-picker.tsx'
import { invalidField } from '../invalid-field.ts'
import { SecretOnce } from '../secret-once.tsx'
import { type Binding, KeyBinding, unbound } from './key-binding.tsx'
import { createsKeys, KeyWarnings, type Warning } from './key-warnings.tsx'
import '../settings.css'

type Body = Parameters<ReturnType<typeof useApi>['v1']['api-keys']['post']>[0]

export const lives: [days: number, words: string][] = [
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
]

const ofRuns = (permission: string) => /^agent-runs:(?!steps:|attempts:|checkpoints:)/.test(permission)

export function NewKey({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const { origin } = useAccess()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [binding, setBinding] = useState<Binding>(unbound)
  const [life, setLife] = useState('90')
  const [made, setMade] = useState<{ secret: string; warnings?: Warning[] }>()
  const create = useAction(
    async (body: Omit<Body, 'operations'>) => {
      if (chosen.size === 0) throw invalidField('operations', 'Choose at least one permission.')
      return api.v1['api-keys'].post({ ...body, operations: shortened(chosen, keyPermissions) })
    },
    {
      success: ({ name }) => `${name} created`,
      changes: [['keys', 'list']],
      quiet: true,
      done: setMade,
    },
  )

  if (made !== undefined) {
    return (
      <SecretOnce title="New API key" label="secret" secret={made.secret} onDone={onClose}>
        <KeyWarnings warnings={made.warnings} />
        <p>Send it with each request:</p>
        <Code label="example" wrap text={`curl ${origin}/api/v1/projects -H "Authorization: Bearer $TROUPE_KEY"`} />
      </SecretOnce>
    )
  }
  const end = (text: (name: string) => string) =>
    life === 'until' ? instantOf(text('expiresAt')) : new Date(Date.now() + Number(life) * dayMs).toISOString()
  return (
    <Dialog title="New API key" open onClose={onClose} shape="wide">
      <Form
        action={create}
        submit="Create key"
        onSubmit={(text) => {
          const expiresAt = end(text)
          const { projectId, environmentId, agentId } = binding
          return create.run({
            name: text('name'),
            ...(projectId && { projectId }),
            ...(environmentId && { environmentId }),
            ...(agentId && { agentId }),
            ...(expiresAt && { expiresAt }),
          })
        }}
      >
        <div className="fields-beside">
          <TextField name="name" label="Name" required maxLength={200} placeholder="CI, billing export, …" />
          <SelectField name="life" label="Expires after" value={life} onChange={({ target }) => setLife(target.value)}>
            <Options of={lives} />
            <option value="until">Custom…</option>
          </SelectField>
          {life === 'until' && (
            <TextField
              name="expiresAt"
              label="Until"
              type="datetime-local"
              required
              min={localOf(Date.now())}
              max={localOf(Date.now() + 366 * dayMs)}
            />
          )}
        </div>
        <KeyBinding binding={binding} onChange={setBinding} />
        <PermissionPicker
          name="operations"
          label="Permissions"
          hint="Limited to your own permissions at the time of each request."
          offered={keyPermissions}
          chosen={chosen}
          onChange={(permissions) => {
            setChosen(permissions)
            create.reset()
          }}
          choices={[
            ['Runs', ofRuns],
            ['Read', isReading],
            ['Everything', () => true],
          ]}
        />
        {chosen.has('api-keys:create') && !binding.projectId && <KeyWarnings warnings={[createsKeys]} />}
      </Form>
    </Dialog>
  )
}
