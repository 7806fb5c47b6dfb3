/** A segmented control. */
import { useId } from 'react'

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: { value: Value; title: string }[]
  onChoose: (value: Value) => void
}

export function Segments<Value extends string>({ label, value, options, onChoose }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.title}
        </label>
      ))}
    </fieldset>
  )
}
