/** Line diff of two JSON values; without the first, all of the second is new. */
import { useMemo } from 'react'
import './diff.css'
import { diffLines, linesOf, nearChanges } from './line-diff.ts'

const signs = { same: ' ', added: '+', removed: '−' } as const
const spoken = { same: '', added: 'added: ', removed: 'removed: ' } as const

export function Diff({ label, before, after }: { label: string; before: unknown; after: unknown }) {
  const lines = useMemo(() => diffLines(before === undefined ? [] : linesOf(before), linesOf(after)), [before, after])
  const count = (is: 'added' | 'removed') => lines.filter((line) => line.is === is).length
  const [added, removed] = [count('added'), count('removed')]
  if (added === 0 && removed === 0) return <p className="faint">No differences.</p>
  return (
    <figure className="diff">
      <figcaption>
        <span className="diff-count-added">{added} added</span>
        <span className="diff-count-removed">{removed} removed</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable */}
      <section className="diff-lines" aria-label={label} tabIndex={0}>
        {nearChanges(lines).map((line, place) =>
          line.is === 'gap' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
            <div key={place} className="diff-gap">
              {line.count} {line.count === 1 ? 'line' : 'lines'} the same
            </div>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
            <div key={place} className={`diff-line diff-${line.is}`}>
              <span aria-hidden="true">{signs[line.is]}</span>
              <span className="visually-hidden">{spoken[line.is]}</span>
              <span>{line.text}</span>
            </div>
          ),
        )}
      </section>
    </figure>
  )
}
