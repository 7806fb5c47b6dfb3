/** A search, which goes to the address once the user stops typing. */
import { useEffect, useState } from 'react'
import { useSettled } from '../../data/use-settled.ts'
import { Icon } from '../icon.tsx'

const settledMs = 250

interface SearchFieldProps {
  /** What it searches. */
  label: string
  value: string
  onChange: (search: string) => void
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const settled = useSettled(text, settledMs)
  // a view was chosen, or Back
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typed text is written to the address
  useEffect(() => {
    if (settled === text && settled !== value) onChange(settled)
  }, [settled])
  return (
    <div className="search-field">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={100}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  )
}
