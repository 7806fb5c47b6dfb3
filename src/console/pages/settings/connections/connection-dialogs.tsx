/** Dialogs that edit a Connection and create a version of it. */
import { useAction } from '../../../data/action.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { CredentialFields, referenceIn } from '../provider-credentials/credential-fields.tsx'
import { BindingFields, type Bound, boundIn } from './binding-fields.tsx'
import { type ConnectionKind, settingsIn } from './connection-kinds.ts'
import { ConnectionSettings, type Settings } from './connection-settings.tsx'

interface Connection extends Bound {
  id: string
  name: string
  kind: ConnectionKind
  settings: Settings
  oauth?: object | undefined
}

interface DialogProps {
  connection: Connection
  onClose: () => void
}

export function EditConnection({ connection, onClose }: DialogProps) {
  const { environmentId, environment } = useEnvironment()
  const one = environment.connections({ connectionId: connection.id })
  const change = useAction((body: Parameters<typeof one.patch>[0]) => one.patch(body), {
    success: 'Saved',
    changes: [['connections', environmentId]],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Edit Connection" open onClose={onClose}>
      <Form action={change} submit="Save" onSubmit={(text) => change.run({ name: text('name'), ...boundIn(text) })}>
        <TextField name="name" label="Name" required maxLength={200} defaultValue={connection.name} />
        <BindingFields bound={connection} none="not bound" />
      </Form>
    </Dialog>
  )
}

export function NewVersion({ connection: { id, kind, settings, oauth }, onClose }: DialogProps) {
  const { environmentId, environment } = useEnvironment()
  const one = environment.connections({ connectionId: id })
  const change = useAction(
    async (text: (name: string) => string) =>
      one.patch({
        version: {
          settings: settingsIn(kind, text, 'version/settings/'),
          // an OAuth Connection keeps its consent and takes no credential
          ...(!oauth && referenceIn(text, 'version/')),
        },
      }),
    {
      success: ({ currentVersion }) => `Version ${currentVersion.number} is now current`,
      changes: [['connections', environmentId]],
      quiet: true,
      done: onClose,
    },
  )
  return (
    <Dialog title="New version" open onClose={onClose} shape="wide">
      <Form action={change} submit="Create version" onSubmit={(text) => change.run(text)}>
        <ConnectionSettings kind={kind} prefix="version/settings/" settings={settings} />
        {oauth ? (
          <p className="faint">The consent is kept.</p>
        ) : (
          <>
            <CredentialFields prefix="version/" none="none" />
            <p className="faint">The credential of the previous version is not shown: choose it again.</p>
          </>
        )}
      </Form>
    </Dialog>
  )
}
