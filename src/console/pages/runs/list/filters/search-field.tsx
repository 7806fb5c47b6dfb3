/** Search in the first messages of runs. The text goes to the address once the user stops typing. */
import { useEffect, useState } from 'react'
import { useSettled } from '../../../../data/use-settled.ts'
import { Icon } from '../../../../ui/icon.tsx'

const settledMs = 250

export function SearchField({ value, onChange }: { value: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(value)
  const settled = useSettled(text, settledMs)
  // a view was chosen, or Back
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typed text is written to the address
  useEffect(() => {
    if (settled === text && settled !== value) onChange(settled)
  }, [settled])
  return (
    <div className="run-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search in first messages"
        placeholder="Search in first messages"
        maxLength={100}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  )
}
