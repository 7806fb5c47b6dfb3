/** Fields for a provider credential and its version. */
import { useState } from 'react'
import { whyNoChoice } from '../../../data/describe-failure.ts'
import { SelectField, TextField } from '../../../ui/forms/form.tsx'
import { useCredentials } from '../environment-lists.ts'
import '../settings.css'

interface CredentialReference {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}

/** Values of the fields. */
export function referenceIn(text: (name: string) => string, prefix = ''): CredentialReference {
  const providerCredentialId = text(`${prefix}providerCredentialId`) || null
  const version = text(`${prefix}providerCredentialVersion`)
  return {
    providerCredentialId,
    providerCredentialVersion: providerCredentialId === null || version === '' ? null : Number(version),
  }
}

interface CredentialFieldsProps {
  /** Prefix of the field names: `version/`. */
  prefix?: string
  reference?: CredentialReference
  /** Restricts the options to this provider. */
  provider?: string
  none: string
}

export function CredentialFields({ prefix = '', reference, provider, none }: CredentialFieldsProps) {
  const { value, failure } = useCredentials()
  const [chosen, setChosen] = useState(reference?.providerCredentialId ?? '')
  const offered = value?.items.filter((each) => provider === undefined || each.provider === provider) ?? []
  const credential = offered.find(({ id }) => id === chosen)
  const version = reference?.providerCredentialId === chosen ? reference.providerCredentialVersion : null
  const name = `${prefix}providerCredentialId`
  const versionName = `${prefix}providerCredentialVersion`
  return (
    <div className="fields-beside">
      {failure ? (
        <TextField
          name={name}
          label="Credential"
          placeholder="crd_…"
          hint={`${whyNoChoice(failure, 'credentials')} Leave empty for none.`}
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
        />
      ) : (
        <SelectField name={name} label="Credential" value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">{none}</option>
          {chosen !== '' && !credential && <option value={chosen}>{chosen}</option>}
          {offered.map(({ id, label, status }) => (
            <option key={id} value={id}>
              {label}
              {status === 'disabled' && ' (disabled)'}
            </option>
          ))}
        </SelectField>
      )}
      {chosen !== '' && (
        <SelectField
          key={chosen}
          name={versionName}
          label="Version"
          defaultValue={version === null ? '' : String(version)}
        >
          <option value="">always the current version</option>
          {(credential?.versions ?? (version === null ? [] : [{ version }])).toReversed().map(({ version }) => (
            <option key={version} value={version}>
              {version}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  )
}
