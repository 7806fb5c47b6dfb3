/** The range of end times in the address, as the figures of the overview set it. */
import { Choice } from '../../../../ui/forms/choice.tsx'
import { isByEnd, type RunQuery, type RunQueryChanges } from './run-query.ts'

const text = (instant: string | undefined) =>
  instant === undefined
    ? '…'
    : new Date(instant).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hour12: false })

export function EndedChoice({ query, change }: { query: RunQuery; change: (changes: RunQueryChanges) => void }) {
  if (!isByEnd(query)) return null
  return (
    <Choice label="Ended" value="own" onChange={() => change({ endedSince: '', endedUntil: '', sort: '', order: '' })}>
      <option value="own">
        {text(query.endedSince)} – {text(query.endedUntil)}
      </option>
      <option value="">Any time</option>
    </Choice>
  )
}
