/** A labelled select that filters a page. Pass `<option>`s; group several in a `<Choices>`. */
import { type ReactNode, useId } from 'react'
import './choice.css'

export interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export function Choice({ label, value, onChange, children }: ChoiceProps) {
  const id = useId()
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {children}
      </select>
    </div>
  )
}

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
