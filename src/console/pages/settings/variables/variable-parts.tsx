/** Form fields shared by variables of Environments and organizations. */
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/forms/form.tsx'
import '../settings.css'

export const VariableNameField = () => (
  <TextField
    name="name"
    label="Name"
    required
    placeholder="SHOP_TOKEN"
    pattern="[A-Z][A-Z0-9_]{0,127}"
    title="Capital letters, digits and underscores; starts with a letter"
    hint="Capital letters, digits and underscores; starts with a letter."
  />
)

/** Not trimmed: white space is part of a value. */
export const valueIn = (data: FormData): string => String(data.get('value') ?? '')

export const ValueField = () => (
  <TextArea
    name="value"
    label="Value"
    rows={3}
    autoComplete="off"
    spellCheck={false}
    className="secret-input"
    hint="Stored encrypted and never shown again. It may be empty."
  />
)

/** Opt-in, so that a value is not overwritten by accident. */
export function NewValueFields({ chosen, onChange }: { chosen: boolean; onChange: (chosen: boolean) => void }) {
  return (
    <>
      <CheckField
        name="withValue"
        label="Set a new value"
        checked={chosen}
        onChange={({ target }) => onChange(target.checked)}
      />
      {chosen && <ValueField />}
    </>
  )
}

export const DescriptionField = ({ description }: { description?: string | null }) => (
  <TextArea name="description" label="Description" rows={2} maxLength={2000} defaultValue={description ?? ''} />
)

export const StatusField = ({ status }: { status: 'active' | 'disabled' }) => (
  <SelectField
    name="status"
    label="Status"
    defaultValue={status}
    hint="A disabled version provides no value, even where it is pinned."
  >
    <option value="active">active</option>
    <option value="disabled">disabled</option>
  </SelectField>
)

type Reader = (name: string) => string

/** Fields of a new variable. */
export const namedIn = (text: Reader): { name: string; description?: string } => {
  const description = text('description')
  return { name: text('name'), ...(description && { description }) }
}

/** Changed fields of a variable, besides its value. */
export const standingIn = (text: Reader) => ({
  description: text('description') || null,
  status: text('status') as 'active' | 'disabled',
})
