/** Sets the model of an Agent in an Environment. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField, TextArea, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { objectIn } from './invalid-field.ts'
import { CredentialFields, referenceIn } from './provider-credentials/credential-fields.tsx'
import { entriesOf, type Provider, providerNames } from './provider-credentials/credential-words.ts'
import './settings.css'

/** All but `custom`, which is for Connections. */
type Vendor = Exclude<Provider, 'custom'>

export interface ProviderSetting {
  settingId: number
  provider: Vendor | null
  model: string | null
  settings: object
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}

const vendors = entriesOf(providerNames).filter(([provider]) => provider !== 'custom')

interface ChooseModelProps {
  agent: { id: string; name: string }
  setting: ProviderSetting | undefined
  onClose: () => void
}

export function ChooseModel({ agent, setting, onClose }: ChooseModelProps) {
  const { environmentId, environment } = useEnvironment()
  const [provider, setProvider] = useState<string>(setting?.provider ?? '')
  const settings = environment.agents({ agentId: agent.id })['provider-settings']
  const changes = [['provider-settings', environmentId, agent.id]]
  const save = useAction(
    async (text: (name: string) => string) => {
      const body = {
        provider: (provider || null) as Vendor | null,
        model: text('model') || null,
        settings: objectIn('settings', text('settings')) ?? {},
        ...(provider === '' ? { providerCredentialId: null, providerCredentialVersion: null } : referenceIn(text)),
      }
      return setting ? settings({ settingId: setting.settingId }).patch(body) : settings.post(body)
    },
    { success: 'Saved', changes, quiet: true, done: onClose },
  )
  const remove = useAction((settingId: number) => settings({ settingId }).delete(), {
    success: `${agent.name} now uses the platform default`,
    changes,
    done: onClose,
  })
  return (
    <Dialog title={`Model of ${agent.name}`} open onClose={onClose}>
      <Form action={save} submit="Save" onSubmit={(text) => save.run(text)}>
        <SelectField
          name="provider"
          label="Provider"
          value={provider}
          onChange={({ target }) => setProvider(target.value)}
        >
          <option value="">platform default</option>
          <Options of={vendors} />
        </SelectField>
        {provider !== '' && (
          <>
            <TextField
              name="model"
              label="Model"
              spellCheck={false}
              defaultValue={setting?.provider === provider ? (setting.model ?? '') : ''}
              hint="Model ID of the provider. Leave empty for the provider default."
            />
            <CredentialFields
              key={provider}
              provider={provider}
              none="the platform's"
              {...(setting?.provider === provider && { reference: setting })}
            />
          </>
        )}
        <TextArea
          name="settings"
          label="Settings"
          rows={4}
          spellCheck={false}
          className="secret-input"
          placeholder={'{\n  "temperature": 0.2\n}'}
          defaultValue={
            setting && Object.keys(setting.settings).length > 0 ? JSON.stringify(setting.settings, null, 2) : ''
          }
          hint="Model options as a JSON object. No secrets."
        />
      </Form>
      {/* the question is a form of its own: within this one, its answer would save this one too */}
      {setting && (
        <div className="row">
          <ConfirmButton
            needs="projects:update"
            tone="quiet"
            question="Reset to the platform default?"
            consequence="The setting is deleted. Deployments keep their copy."
            confirm="Reset"
            pending={remove.pending}
            onConfirm={() => remove.run(setting.settingId)}
          >
            Reset to default
          </ConfirmButton>
        </div>
      )}
    </Dialog>
  )
}
