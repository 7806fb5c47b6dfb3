/** Filter by creation time: relative to now, or between two instants. */
import { useState } from 'react'
import { Choice, ChoiceControl } from '../../../../ui/forms/choice.tsx'
import { instantOf, localOf } from '../../../../ui/instants.ts'
import type { RunQuery, RunQueryChanges } from './run-query.ts'
import { type Within, withins } from './within.ts'

interface TimeChoiceProps {
  query: RunQuery
  within: Within | undefined
  change: (changes: RunQueryChanges) => void
}

export function TimeChoice({ query, within, change }: TimeChoiceProps) {
  const isOwn = within === undefined && (query.since !== undefined || query.until !== undefined)
  const [opened, setOpened] = useState(false)
  const shown = isOwn || opened
  return (
    <>
      <Choice
        label="Created"
        value={within ?? (shown ? 'own' : '')}
        onChange={(value) => {
          setOpened(value === 'own')
          if (value !== 'own') change({ within: value, since: '', until: '' })
          else change({ within: '' })
        }}
      >
        <option value="">Any time</option>
        {Object.entries(withins).map(([value, [title]]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
        <option value="own">From … to …</option>
      </Choice>
      {shown && within === undefined && (
        <>
          <Instant label="From" at={query.since} onChange={(since) => change({ since })} />
          <Instant label="To" at={query.until} onChange={(until) => change({ until })} />
        </>
      )}
    </>
  )
}

interface InstantProps {
  label: string
  at: string | undefined
  onChange: (instant: string) => void
}

const Instant = ({ label, at, onChange }: InstantProps) => (
  <ChoiceControl label={label}>
    {(id) => (
      <input
        id={id}
        type="datetime-local"
        defaultValue={at ? localOf(at) : ''}
        onChange={({ target }) => onChange(instantOf(target.value) ?? '')}
      />
    )}
  </ChoiceControl>
)
