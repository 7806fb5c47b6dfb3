/** Words to find in the first message of runs. What is typed goes to the address once it stands. */
import { useEffect, useState } from 'react'
import { useSettled } from '../../../../data/use-settled.ts'
import { Icon } from '../../../../ui/icon.tsx'

const settledMs = 250

export function SearchField({ value, onChange }: { value: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(value)
  const settled = useSettled(text, settledMs)
  // another view, or Back
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed is sent
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
