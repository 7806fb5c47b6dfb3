/** Form for a new Connection. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { at } from '../../../places.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { usePlace } from '../../../use-place.ts'
import { CredentialFields, referenceIn } from '../provider-credentials/credential-fields.tsx'
import { entriesOf } from '../provider-credentials/credential-words.ts'
import { BindingFields, boundIn } from './binding-fields.tsx'
import { type ConnectionKind, connectionKinds, settingsIn } from './connection-kinds.ts'
import { ConnectionSettings } from './connection-settings.tsx'
import '../settings.css'

export function NewConnection({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const [kind, setKind] = useState<ConnectionKind>('http')
  const create = useAction(
    // read the settings in the action, so that issues appear at their fields
    async (text: (name: string) => string) =>
      environment.connections.post({
        name: text('name'),
        kind,
        settings: settingsIn(kind, text, 'settings/'),
        ...referenceIn(text),
        ...boundIn(text),
      }),
    {
      success: ({ name }) => `${name} created`,
      changes: [['connections', environmentId]],
      quiet: true,
      opens: ({ id }) => at(place, 'configuration', 'connections', id),
    },
  )
  return (
    <Dialog title="New Connection" open onClose={onClose} shape="wide">
      <Form action={create} needs="connections:create" submit="Create Connection" onSubmit={(text) => create.run(text)}>
        <div className="fields-beside">
          <TextField name="name" label="Name" required maxLength={200} hint="Unique in the Environment." />
          <SelectField
            name="kind"
            label="Kind"
            value={kind}
            onChange={({ target }) => setKind(target.value as ConnectionKind)}
            hint="It cannot be changed."
          >
            <Options of={entriesOf(connectionKinds)} />
          </SelectField>
        </div>
        <ConnectionSettings key={kind} kind={kind} prefix="settings/" />
        <CredentialFields none="none" />
        <BindingFields none="not bound yet" />
      </Form>
    </Dialog>
  )
}
