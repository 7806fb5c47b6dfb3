/** Settings of a Connection as form fields, by kind. */
import { useState } from 'react'
import { SelectField, TextArea, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { entriesOf } from '../provider-credentials/credential-words.ts'
import { authWays, type ConnectionKind, linesFrom, settingFields } from './connection-kinds.ts'
import '../settings.css'

export type Settings = Record<string, unknown>

interface ConnectionSettingsProps {
  kind: ConnectionKind
  /** Prefix of the field names: `settings/`. */
  prefix: string
  settings?: Settings
}

export function ConnectionSettings({ kind, prefix, settings = {} }: ConnectionSettingsProps) {
  if (kind === 'custom') {
    return (
      <TextArea
        name={prefix.slice(0, -1)}
        label="Settings"
        rows={6}
        spellCheck={false}
        className="secret-input"
        defaultValue={JSON.stringify(settings, null, 2)}
        hint="A JSON object of at most 16 KiB. Put secrets in credentials."
      />
    )
  }
  const shown = (name: string) => (settings[name] === undefined ? '' : String(settings[name]))
  return (
    <>
      <div className="fields-beside">
        {settingFields[kind]
          .filter(({ type }) => type !== 'lines')
          .map(({ name, type, ...field }) => (
            <TextField
              key={name}
              name={prefix + name}
              {...field}
              {...(type === 'number' && { type: 'number', min: 1, max: 65_535 })}
              defaultValue={shown(name)}
              spellCheck={false}
            />
          ))}
      </div>
      {kind === 'http' && <AuthFields prefix={prefix} settings={settings} />}
      {settingFields[kind]
        .filter(({ type }) => type === 'lines')
        .map(({ name, type: _, ...field }) => (
          <TextArea
            key={name}
            name={prefix + name}
            rows={2}
            spellCheck={false}
            {...field}
            defaultValue={linesFrom(settings[name])}
          />
        ))}
    </>
  )
}

function AuthFields({ prefix, settings }: { prefix: string; settings: Settings }) {
  const [auth, setAuth] = useState(String(settings.auth ?? ''))
  return (
    <div className="fields-beside">
      <SelectField
        name={`${prefix}auth`}
        label="Credential location"
        value={auth}
        onChange={({ target }) => setAuth(target.value)}
      >
        <Options of={entriesOf(authWays)} />
      </SelectField>
      {auth === 'header' && (
        <TextField
          name={`${prefix}headerName`}
          label="Header"
          required
          placeholder="X-Api-Key"
          defaultValue={String(settings.headerName ?? '')}
        />
      )}
    </div>
  )
}
