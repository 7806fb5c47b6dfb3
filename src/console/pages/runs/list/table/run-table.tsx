/**
 * The table of runs. Only visible rows are in the document, and the page itself scrolls. Rows have one height, which the
 * style sheet repeats.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { RunRow, type RunRowProps } from './run-row.tsx'
import './run-table.css'

export interface RunTableProps extends Pick<RunRowProps, 'userId' | 'onSelect'> {
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

const beyond = 12
/** Rows rendered ahead. */
const ahead = 60
const phone = '(max-width: 40rem)'
/** In rem. */
const heights = { wide: 3.5, narrow: 5.5 }

function useRowHeight(): number {
  const query = matchMedia(phone)
  const [narrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const changed = () => setNarrow(query.matches)
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }, [query])
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  return Math.round((narrow ? heights.narrow : heights.wide) * rem)
}

export function RunTable(props: RunTableProps) {
  const { rows, isOpen, hrefOf, userId, selected, onSelect, onSelectAll, onEnd, onBelow } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [margin, setMargin] = useState(0)
  const rowHeight = useRowHeight()
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: beyond,
    scrollMargin: margin,
    getItemKey: (index) => (rows[index] as PresentedRun).id,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer keeps sizes until it is told to measure
  useLayoutEffect(() => virtualizer.measure(), [rowHeight])
  // the content above may change its height on any render
  useLayoutEffect(() => {
    if (virtualizer.isScrolling) return
    const now = Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    if (now !== margin) setMargin(now)
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]
  const last = items.at(-1)
  const before = first ? first.start - margin : 0
  const after = last ? virtualizer.getTotalSize() - (last.end - margin) : 0
  const lastIndex = last?.index ?? 0
  useEffect(() => {
    if (isOpen && lastIndex >= rows.length - ahead) onEnd()
  }, [isOpen, lastIndex, rows.length, onEnd])
  const isBelow = (virtualizer.scrollOffset ?? 0) > margin
  useEffect(() => onBelow(isBelow), [isBelow, onBelow])

  const all = rows.length > 0 && selected.size >= rows.length
  return (
    <div className="table-frame run-table-frame">
      <table className="table run-table" aria-label="runs" aria-rowcount={isOpen ? -1 : rows.length + 1}>
        <colgroup>
          <col />
          <col className="run-column-state" />
          <col className="run-column-model" />
          <col className="run-column-tokens" />
          <col className="run-column-created" />
          <col className="run-column-took" />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <label className="run-row-select">
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
              Run
            </th>
            <th scope="col">State</th>
            <th scope="col">Model</th>
            <th scope="col" className="align-end">
              Tokens
            </th>
            <th scope="col">Created</th>
            <th scope="col" className="align-end">
              Duration
            </th>
          </tr>
        </thead>
        <tbody ref={body} aria-hidden="true">
          <tr style={{ height: before }}>
            <td colSpan={6} />
          </tr>
        </tbody>
        <tbody>
          {items.map(({ index }) => {
            const run = rows[index] as PresentedRun
            return (
              <RunRow
                key={run.id}
                run={run}
                index={index + 2}
                href={hrefOf(run)}
                userId={userId}
                selected={selected.has(run.id)}
                onSelect={onSelect}
              />
            )
          })}
        </tbody>
        <tbody aria-hidden="true">
          <tr style={{ height: after }}>
            <td colSpan={6} />
          </tr>
        </tbody>
      </table>
    </div>
  )
}
