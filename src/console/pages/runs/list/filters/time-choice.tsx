/** Filter by creation time: relative to now, or between two instants. */
import { useState } from 'react'
import { Choice } from '../../../../ui/forms/choice.tsx'
import { MomentChoice } from '../../../../ui/forms/moment-choice.tsx'
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
  const changeOwn = (changes: RunQueryChanges) => {
    // a field that is typed into has no value at times, and stays
    setOpened(true)
    change(changes)
  }
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
          <MomentChoice label="From" value={query.since} onChange={(since) => changeOwn({ since })} />
          <MomentChoice label="To" value={query.until} onChange={(until) => changeOwn({ until })} />
        </>
      )}
    </>
  )
}
