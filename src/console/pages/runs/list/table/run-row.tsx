/** One row of the list; renders again only when its run changes. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { About, Created, Model, State, Took, titleOf, Used } from './columns.tsx'

export interface RunRowProps {
  run: PresentedRun
  /** Counted from 1, including the header row. */
  index: number
  href: string
  userId: string
  selected: boolean
  /** `through`: with all rows from the last selected one. */
  onSelect: (runId: string, isSelected: boolean, through: boolean) => void
}

export const RunRow = memo(function RunRow({ run, index, href, userId, selected, onSelect }: RunRowProps) {
  const title = titleOf(run)
  return (
    <tr className={selected ? 'row-link run-row run-row-selected' : 'row-link run-row'} aria-rowindex={index}>
      <td className="run-row-about">
        <label className="run-row-select">
          <input
            type="checkbox"
            checked={selected}
            aria-label={`Select ${title}`}
            // the click carries Shift, and precedes the change event
            onClick={({ shiftKey }) => onSelect(run.id, !selected, shiftKey)}
            onChange={() => {}}
          />
        </label>
        <span className="run-row-text">
          <Link href={href} className="ellipsis" title={title}>
            {title}
          </Link>
          <About run={run} />
        </span>
      </td>
      <td data-title="State">
        <State run={run} />
      </td>
      <td data-title="Model">
        <Model run={run} />
      </td>
      <td data-title="Tokens" className="align-end">
        <Used run={run} />
      </td>
      <td data-title="Created">
        <Created run={run} userId={userId} />
      </td>
      <td data-title="Duration" className="align-end">
        <Took run={run} />
      </td>
    </tr>
  )
})
