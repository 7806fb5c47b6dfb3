/** One row of the list: few elements and no hooks, since a fast scroll renders hundreds of rows per second. */
import { type MouseEvent, memo } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { About, Created, Model, State, starterText, Took, titleOf, tooltipOf, Used } from './columns.tsx'

export interface RunRowProps {
  run: PresentedRun
  /** Counted from 0, without the header row. */
  index: number
  /** In pixels from the top of the list. */
  top: number
  href: string
  /** Undefined while it is not known, or without permission. */
  agentName: string | undefined
  /** As `agentName`; of a member or an API key. */
  starterName: string | undefined
  userId: string
  now: number
  selected: boolean
  /** `through`: with all rows from the last selected one. */
  onSelect: (runId: string, isSelected: boolean, through: boolean) => void
  onFollow: (event: MouseEvent<HTMLAnchorElement>) => void
}

export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, index, top, href, agentName, starterName, userId, now, selected, onSelect, onFollow } = props
  const title = titleOf(run)
  const by = starterText(run, userId, starterName)
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see `run-table.tsx`
    // biome-ignore-start lint/a11y/useFocusableInteractive: what is in it takes the focus
    <div
      role="row"
      className={selected ? 'run-row run-columns run-row-selected' : 'run-row run-columns'}
      style={{ top }}
      // the head is the first
      aria-rowindex={index + 2}
      data-run={run.id}
    >
      <div role="cell" className="run-row-select">
        <label>
          <input
            type="checkbox"
            checked={selected}
            aria-label={`Select ${title}`}
            // the click carries Shift, and precedes the change event
            onClick={({ shiftKey }) => onSelect(run.id, !selected, shiftKey)}
            onChange={() => {}}
          />
        </label>
      </div>
      <div role="cell" className="run-row-about">
        <a href={href} onClick={onFollow} title={tooltipOf(run, by)}>
          {title}
        </a>
        <About run={run} agentName={agentName} />
      </div>
      <div role="cell" data-title="State">
        <State run={run} now={now} />
      </div>
      <div role="cell" data-title="Model">
        <Model run={run} />
      </div>
      <div role="cell" data-title="Tokens">
        <Used run={run} />
      </div>
      <div role="cell" data-title="Created">
        <Created run={run} by={by} now={now} />
      </div>
      <div role="cell" data-title="Duration">
        <Took run={run} now={now} />
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: see above
    // biome-ignore-end lint/a11y/useSemanticElements: see above
  )
})
