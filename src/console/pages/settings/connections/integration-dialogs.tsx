/** Dialogs that register and rotate an OAuth client. The provider verifies it before it is stored. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Progress } from '../../../ui/states.tsx'
import type { Integration, Preset } from './integration.ts'
import { adviceFor } from './integration-words.ts'
import { RedirectUri } from './redirect-uri.tsx'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'

const secretIn = (data: FormData) => String(data.get('clientSecret') ?? '').trim()

/** The provider's response; the form shows other errors. */
function Asking({ name, pending, code }: { name: string; pending: boolean; code: string | undefined }) {
  if (pending) return <Progress label={`Verifying the client with ${name}`} />
  const advice = adviceFor(code)
  return advice ? <p>{advice}</p> : null
}

export function RegisterIntegration({ preset, onClose }: { preset: Preset; onClose: () => void }) {
  const api = useApi()
  const { integrations } = api.v1.organizations(useOrganizationPath())
  const { presetKey, name, setupInstructions, redirectUri } = preset
  const register = useAction((body: Parameters<typeof integrations.post>[0]) => integrations.post(body), {
    success: `${name} registered`,
    changes: [['integrations']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title={`Register ${name}`} open onClose={onClose} shape="wide">
      <div className="instructions">{setupInstructions}</div>
      <RedirectUri uri={redirectUri} />
      <Form
        action={register}
        submit="Register"
        onSubmit={(text, data) => register.run({ presetKey, clientId: text('clientId'), clientSecret: secretIn(data) })}
      >
        <TextField name="clientId" label="Client ID" required spellCheck={false} />
        <TextField
          name="clientSecret"
          label="Client secret"
          type="password"
          autoComplete="off"
          required
          hint="Stored encrypted, after verification by the provider."
        />
        <Asking name={name} pending={register.pending} code={register.failure?.code} />
      </Form>
    </Dialog>
  )
}

interface RotateProps {
  integration: Integration
  name: string
  onClose: () => void
}

export function RotateIntegration({ integration, name, onClose }: RotateProps) {
  const api = useApi()
  const one = api.v1.organizations(useOrganizationPath()).integrations({ integrationId: integration.id })
  const rotate = useAction((body: Parameters<typeof one.patch>[0]) => one.patch(body), {
    success: ({ currentVersion }) => `Version ${currentVersion.number} is now current`,
    changes: [['integrations']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title={`Rotate ${name}`} open onClose={onClose}>
      <Form
        action={rotate}
        submit="Rotate"
        onSubmit={(text, data) => {
          const clientId = text('clientId')
          const clientSecret = secretIn(data)
          return rotate.run({
            ...(clientId !== integration.clientId && { clientId }),
            ...(clientSecret && { clientSecret }),
          })
        }}
      >
        <p>
          Keep the old secret valid at the provider until users have reconnected: tokens are renewed with the client
          that issued them.
        </p>
        <TextField name="clientId" label="Client ID" required spellCheck={false} defaultValue={integration.clientId} />
        <TextField
          name="clientSecret"
          label="New client secret"
          type="password"
          autoComplete="off"
          hint="Leave empty to keep the current secret."
        />
        <Asking name={name} pending={rotate.pending} code={rotate.failure?.code} />
      </Form>
    </Dialog>
  )
}
