/** Dialogs that create, rotate and edit provider credentials. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { at, organizationOf } from '../../../places.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField, TextArea, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { instantOf, localOf } from '../../../ui/instants.ts'
import { usePlace } from '../../../use-place.ts'
import {
  type CredentialType,
  credentialTypeNames,
  entriesOf,
  type Provider,
  providerNames,
} from './credential-words.ts'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'

interface Closing {
  onClose: () => void
}

function useCredentials() {
  const api = useApi()
  return api.v1.organizations(useOrganizationPath())['provider-credentials']
}

/** Keeps inner white space, drops a trailing line break. */
const secretIn = (data: FormData) => String(data.get('secret') ?? '').replace(/^\s+|\s+$/g, '')

const SecretField = () => (
  <TextArea
    name="secret"
    label="Secret"
    required
    rows={3}
    autoComplete="off"
    spellCheck={false}
    className="secret-input"
    hint="Stored encrypted; it is never shown again."
  />
)

const EndField = ({ expiresAt }: { expiresAt?: string | null }) => (
  <TextField
    name="expiresAt"
    label="Expires"
    type="datetime-local"
    defaultValue={expiresAt ? localOf(expiresAt) : ''}
    hint="It cannot be used afterwards. Leave empty for no expiry."
  />
)

export function NewCredential({ onClose }: Closing) {
  const credentials = useCredentials()
  const place = organizationOf(usePlace())
  const create = useAction((body: Parameters<typeof credentials.post>[0]) => credentials.post(body), {
    success: ({ label }) => `${label} created`,
    changes: [['credentials']],
    quiet: true,
    opens: ({ id }) => at(place, 'settings', 'credentials', id),
  })
  return (
    <Dialog title="New credential" open onClose={onClose}>
      <Form
        action={create}
        submit="Create credential"
        onSubmit={(text, data) =>
          create.run({
            label: text('label'),
            provider: text('provider') as Provider,
            credentialType: text('credentialType') as CredentialType,
            secret: secretIn(data),
            expiresAt: instantOf(text('expiresAt')) ?? null,
          })
        }
      >
        <TextField name="label" label="Label" required maxLength={200} placeholder="Production key" />
        <div className="fields-beside">
          <SelectField name="provider" label="Provider">
            <Options of={entriesOf(providerNames)} />
          </SelectField>
          <SelectField name="credentialType" label="Type">
            <Options of={entriesOf(credentialTypeNames)} />
          </SelectField>
        </div>
        <SecretField />
        <EndField />
      </Form>
    </Dialog>
  )
}

export function NewSecret({ credentialId, onClose }: { credentialId: string } & Closing) {
  const credentials = useCredentials()
  const rotate = useAction((secret: string) => credentials({ credentialId }).versions.post({ secret }), {
    success: ({ currentVersion }) => `Version ${currentVersion} is now current`,
    changes: [['credentials']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Rotate credential" open onClose={onClose}>
      <Form action={rotate} submit="Rotate" onSubmit={(_, data) => rotate.run(secretIn(data))}>
        <p>
          Stored as the next version, for new configurations. Deployments use the version that they pin: keep the old
          secret valid until another Deployment is active.
        </p>
        <SecretField />
      </Form>
    </Dialog>
  )
}

interface EditCredentialProps extends Closing {
  credential: { id: string; label: string; expiresAt: string | null }
}

export function EditCredential({ credential: { id, label, expiresAt }, onClose }: EditCredentialProps) {
  const credentials = useCredentials()
  const change = useAction(
    (body: { label: string; expiresAt?: string | null }) => credentials({ credentialId: id }).patch(body),
    { success: 'Saved', changes: [['credentials']], quiet: true, done: onClose },
  )
  const before = expiresAt ? localOf(expiresAt) : ''
  return (
    <Dialog title="Edit credential" open onClose={onClose}>
      <Form
        action={change}
        submit="Save"
        onSubmit={(text) => {
          const end = text('expiresAt')
          return change.run({ label: text('label'), ...(end !== before && { expiresAt: instantOf(end) ?? null }) })
        }}
      >
        <TextField name="label" label="Label" required maxLength={200} defaultValue={label} />
        <EndField expiresAt={expiresAt} />
      </Form>
    </Dialog>
  )
}
