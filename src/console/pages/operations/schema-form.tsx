/** A form built from a JSON Schema, with a control for each plain field of an object. Other fields stay in the JSON. */
import { useState } from 'react'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { CheckField, SelectField, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { type PlainField, plainFieldsOf, withFieldText } from './plain-fields.ts'

interface SchemaFormProps {
  schema: unknown
  /** The JSON that the form edits. */
  text: string
  onChange: (text: string) => void
}

export function SchemaForm({ schema, text, onChange }: SchemaFormProps) {
  const fields = plainFieldsOf(schema)
  const { value, fault } = readJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // while the JSON is edited, it alone holds the value
  if (fields.length === 0 || fault || !isObject) return null
  const values = value as Record<string, unknown>
  const change = (field: PlainField, written: string | boolean) =>
    onChange(JSON.stringify(withFieldText(values, field, written), null, 2))
  return (
    <fieldset className="stack" aria-label="Fields">
      {fields.map((field) => (
        <Control
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(written) => change(field, written)}
        />
      ))}
    </fieldset>
  )
}

interface ControlProps {
  field: PlainField
  value: unknown
  onChange: (written: string | boolean) => void
}

function Control({ field, value, onChange }: ControlProps) {
  const { name, kind, required, about, choices } = field
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const wiring = { name: `field-${name}`, label: required ? name : `${name} (optional)`, hint: about || undefined }
  if (kind === 'boolean') {
    return <CheckField {...wiring} checked={value === true} onChange={({ target }) => onChange(target.checked)} />
  }
  const shown = value === undefined || value === null ? '' : String(value)
  if (kind === 'choice') {
    return (
      <SelectField {...wiring} value={shown} onChange={({ target }) => onChange(target.value)}>
        {!required && <option value="">–</option>}
        <Options of={choices} />
      </SelectField>
    )
  }
  return (
    <TextField
      {...wiring}
      type={kind === 'text' ? 'text' : 'number'}
      step={kind === 'integer' ? 1 : 'any'}
      // a number as it is typed: 1.0 is 1, and may become 1.05
      value={typed && typed.value === value ? typed.text : shown}
      onChange={({ target }) => {
        setTyped({ text: target.value, value: withFieldText({}, field, target.value)[name] })
        onChange(target.value)
      }}
    />
  )
}
