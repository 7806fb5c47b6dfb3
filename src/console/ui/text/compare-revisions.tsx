/** Compares two revisions chosen by number. */
import { type ReactNode, useState } from 'react'
import './compare-revisions.css'
import { Diff } from './diff.tsx'

interface ComparedRevision {
  id: string
  number: number
  /** The compared content. */
  value: unknown
}

interface CompareRevisionsProps {
  /** Newest first; the two newest are compared by default. */
  revisions: readonly ComparedRevision[]
  /** A drawing of the differences, above the text. */
  picture?: ((before: ComparedRevision, after: ComparedRevision) => ReactNode) | undefined
}

export function CompareRevisions({ revisions, picture }: CompareRevisionsProps) {
  const [chosen, setChosen] = useState<{ before?: string; after?: string }>({})
  const find = (id: string | undefined, place: number) => revisions.find((one) => one.id === id) ?? revisions[place]
  const after = find(chosen.after, 0)
  const before = find(chosen.before, 1)
  if (!after || !before) return <p className="faint">There is only one revision.</p>

  const select = (label: string, value: string, choose: (id: string) => void) => (
    <label className="compare-choice">
      <span>{label}</span>
      <select value={value} onChange={({ target }) => choose(target.value)}>
        {revisions.map(({ id, number }) => (
          <option key={id} value={id}>
            Revision {number}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div className="stack">
      <div className="compare-choices">
        {select('From', before.id, (id) => setChosen({ ...chosen, before: id }))}
        {select('To', after.id, (id) => setChosen({ ...chosen, after: id }))}
      </div>
      {picture?.(before, after)}
      <Diff
        label={`From revision ${before.number} to revision ${after.number}`}
        before={before.value}
        after={after.value}
      />
    </div>
  )
}
