/** A labelled select that filters a page. Pass `<option>`s; group several in a `<Choices>`. */
import { type ReactNode, useId } from 'react'
import './choice.css'

interface ControlProps {
  label: string
  hint?: string
  children: (id: string) => ReactNode
}

/** A labelled control in a row of choices; the control receives its id. */
export function ChoiceControl({ label, hint, children }: ControlProps) {
  const id = useId()
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint && <p className="field-hint">{hint}</p>}
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
  <ChoiceControl label={label}>
    {(id) => (
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {children}
      </select>
    )}
  </ChoiceControl>
)

export const Choices = ({ children }: { children: ReactNode }) => <div className="choices">{children}</div>

/** State options. */
export const StateOptions = ({ states }: { states: readonly string[] }) => (
  <>
    <option value="">Any</option>
    {states.map((state) => (
      <option key={state} value={state}>
        {state.replaceAll('_', ' ')}
      </option>
    ))}
  </>
)
