/** A filter by a time, in the browser's time zone. */
import { instantOf, localOf } from '../instants.ts'
import { ChoiceControl } from './choice.tsx'

interface MomentChoiceProps {
  label: string
  /** RFC 3339. */
  value: string | undefined
  /** Empty for none. */
  onChange: (instant: string) => void
}

export const MomentChoice = ({ label, value, onChange }: MomentChoiceProps) => (
  <ChoiceControl label={label}>
    {(id) => (
      <input
        id={id}
        type="datetime-local"
        value={value ? localOf(value) : ''}
        onChange={({ target }) => onChange(instantOf(target.value) ?? '')}
      />
    )}
  </ChoiceControl>
)
