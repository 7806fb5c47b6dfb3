/**
 * The table of runs. However many are loaded, only those that can be seen are in the document; the page itself scrolls. Rows are
 * of one height, which the style sheet has too.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { RunRow, type RunRowProps } from './run-row.tsx'
import './run-table.css'

export interface RunTableProps extends Pick<RunRowProps, 'userId' | 'onSelect'> {
  rows: readonly PresentedRun[]
  /** Whether there are more than those that are loaded. */
  isOpen: boolean
  hrefOf: (run: PresentedRun) => string
  selected: ReadonlySet<string>
  onSelectAll: (isSelected: boolean) => void
  /** Called when the end of what is loaded comes near. */
  onEnd: () => void
  /** Whether the top of the table is out of sight. */
  onBelow: (isBelow: boolean) => void
}

const beyond = 12
/** Rows that are read ahead. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: its sizes are kept until it is told
  useLayoutEffect(() => virtualizer.measure(), [rowHeight])
  // what is above may have become higher with any render
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
