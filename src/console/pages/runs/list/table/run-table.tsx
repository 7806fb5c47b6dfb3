/**
 * The table of runs. Only visible rows are in the document, and the page itself scrolls. Rows have one height, which the
 * style sheet repeats, and each is positioned by itself, so that a new row moves no other.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { useNow } from '../../../../ui/time.tsx'
import { useNamesOfAgents, useNamesOfStarters } from '../names.tsx'
import { RunRow, type RunRowProps } from './run-row.tsx'
import { useSeenRows } from './use-seen-rows.ts'
import './run-table.css'

interface RunTableProps extends Pick<RunRowProps, 'userId' | 'onSelect'> {
  rows: readonly PresentedRun[]
  /** Whether there are rows that are not loaded. */
  isOpen: boolean
  hrefOf: (run: PresentedRun) => string
  selected: ReadonlySet<string>
  onSelectAll: (isSelected: boolean) => void
  /** Called when the user scrolls near the end of the loaded rows. */
  onEnd: () => void
  /** Called with whether the top of the table is out of view. */
  onBelow: (isBelow: boolean) => void
}

/** Rows loaded ahead: two seconds of a fast scroll. */
const ahead = 300
const phone = '(max-width: 48rem)'
/** In rem. */
const heights = { wide: 3.5, narrow: 5.5 }
const columns = 7

function useRowHeight(): number {
  const [query] = useState(() => matchMedia(phone))
  const [narrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const changed = () => setNarrow(query.matches)
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }, [query])
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)
  return Math.round((narrow ? heights.narrow : heights.wide) * rem)
}

/** Follows a link without reloading the console, unless a new tab or window is requested. */
function useFollow() {
  const [, navigate] = useLocation()
  return useCallback<RunRowProps['onFollow']>(
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      navigate(event.currentTarget.getAttribute('href') as string)
    },
    [navigate],
  )
}

export function RunTable(props: RunTableProps) {
  const { rows, isOpen, hrefOf, userId, selected, onSelect, onSelectAll, onEnd, onBelow } = props
  const body = useRef<HTMLDivElement>(null)
  const rowHeight = useRowHeight()
  const { from, to, isBelow } = useSeenRows(body, rows.length, rowHeight)
  useEffect(() => {
    if (isOpen && to >= rows.length - ahead) onEnd()
  }, [isOpen, to, rows.length, onEnd])
  useEffect(() => onBelow(isBelow), [isBelow, onBelow])

  // the focused row stays in the document, or the next Tab would start at the top of the page
  const [focused, setFocused] = useState<string>()
  const focusedAt = useMemo(() => rows.findIndex(({ id }) => id === focused), [rows, focused])
  const shown = Array.from({ length: Math.max(0, Math.min(to, rows.length) - from) }, (_, place) => from + place)
  if (focusedAt !== -1 && focusedAt < from) shown.unshift(focusedAt)
  if (focusedAt !== -1 && focusedAt >= to) shown.push(focusedAt)

  const now = useNow()
  const onFollow = useFollow()
  const runs = shown.map((index) => rows[index] as PresentedRun)
  const names = useNamesOfAgents(runs.map(({ projectId }) => projectId))
  const starters = useNamesOfStarters(runs.map(({ createdBy }) => createdBy).filter(({ id }) => id !== userId))
  const all = rows.length > 0 && selected.size >= rows.length
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: the browser lays out all of a table when one of its rows comes
    // biome-ignore-start lint/a11y/useFocusableInteractive: what is in the rows takes the focus
    <div
      className="run-table"
      role="table"
      aria-label="runs"
      aria-rowcount={isOpen ? -1 : rows.length + 1}
      aria-colcount={columns}
    >
      <div role="rowgroup" className="run-head">
        <div role="row" aria-rowindex={1} className="run-columns">
          <div role="columnheader" className="run-row-select">
            <label>
              <input
                type="checkbox"
                aria-label="Select all loaded runs"
                checked={all}
                ref={(box) => {
                  if (box) box.indeterminate = selected.size > 0 && !all
                }}
                onChange={() => onSelectAll(!all)}
              />
            </label>
          </div>
          <div role="columnheader">Run</div>
          <div role="columnheader">State</div>
          <div role="columnheader">Model</div>
          <div role="columnheader">Tokens</div>
          <div role="columnheader">Created</div>
          <div role="columnheader">Duration</div>
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="run-rows"
        style={{ height: rows.length * rowHeight }}
        onFocus={({ target }) => setFocused(target.closest<HTMLElement>('.run-row')?.dataset.run)}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setFocused(undefined)
        }}
      >
        {shown.map((index) => {
          const run = rows[index] as PresentedRun
          return (
            <RunRow
              key={run.id}
              run={run}
              index={index}
              top={index * rowHeight}
              href={hrefOf(run)}
              agentName={names.get(run.agentId)}
              starterName={starters.get(run.createdBy.id)}
              userId={userId}
              now={now}
              selected={selected.has(run.id)}
              onSelect={onSelect}
              onFollow={onFollow}
            />
          )
        })}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: see above
    // biome-ignore-end lint/a11y/useSemanticElements: see above
  )
}
