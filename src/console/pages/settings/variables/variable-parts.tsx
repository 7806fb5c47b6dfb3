/** The fields of variables, those of Environments and those of organizations, and what is read from them. */
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/forms/form.tsx'
import '../settings.css'

export const VariableNameField = () => (
  <TextField
    name="name"
    label="Name"
    required
    placeholder="SHOP_TOKEN"
    pattern="[A-Z][A-Z0-9_]{0,127}"
    title="Capitals, digits and underscores, a capital first"
    hint="Capitals, digits and underscores, a capital first."
  />
)

/** As it was typed: white space belongs to a value. */
export const valueIn = (data: FormData): string => String(data.get('value') ?? '')

export const ValueField = () => (
  <TextArea
    name="value"
    label="Value"
    rows={3}
    autoComplete="off"
    spellCheck={false}
    className="secret-input"
    hint="Stored encrypted; it is never shown again. It may be empty."
  />
)

/** In a form that changes something: nothing is typed over by chance. */
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

/** What a new one is called. */
export const namedIn = (text: Reader): { name: string; description?: string } => {
  const description = text('description')
  return { name: text('name'), ...(description && { description }) }
}

/** What an existing one is to be, besides its value. */
export const standingIn = (text: Reader) => ({
  description: text('description') || null,
  status: text('status') as 'active' | 'disabled',
})
