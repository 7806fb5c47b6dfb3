/** Fields for a provider credential and the version of it that is used. */
import { useState } from 'react'
import { SelectField, TextField } from '../../../ui/forms/form.tsx'
import { useCredentials } from '../environment-lists.ts'
import '../settings.css'

export interface CredentialReference {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}

/** What the fields say. */
export function referenceIn(text: (name: string) => string, prefix = ''): CredentialReference {
  const providerCredentialId = text(`${prefix}providerCredentialId`) || null
  const version = text(`${prefix}providerCredentialVersion`)
  return {
    providerCredentialId,
    providerCredentialVersion: providerCredentialId === null || version === '' ? null : Number(version),
  }
}

interface CredentialFieldsProps {
  /** Where they are in the request: `version/`. */
  prefix?: string
  reference?: CredentialReference
  /** Only credentials for this provider. */
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
          hint="You may not see which there are. Empty: none."
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
          <option value="">the current one, each time</option>
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
