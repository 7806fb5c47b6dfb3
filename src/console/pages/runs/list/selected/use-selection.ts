/** The selected rows of the list; cleared by other filters. */
import { useCallback, useMemo, useRef, useState } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'

const none: ReadonlySet<string> = new Set()

export function useSelection(list: string, rows: readonly PresentedRun[]) {
  const [{ of, ids }, setSelection] = useState({ of: list, ids: none })
  const selected = of === list ? ids : none
  const latest = useRef({ rows, selected, last: undefined as string | undefined })
  latest.current = { ...latest.current, rows, selected }
  const set = useCallback((ids: ReadonlySet<string>) => setSelection({ of: list, ids }), [list])

  const select = useCallback(
    (runId: string, isSelected: boolean, through: boolean) => {
      const { rows, selected, last } = latest.current
      const next = new Set(selected)
      const [from, to] = [last, runId].map((id) => rows.findIndex((run) => run.id === id)) as [number, number]
      const some = through && from !== -1 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [{ id: runId }]
      for (const { id } of some) {
        if (isSelected) next.add(id)
        else next.delete(id)
      }
      latest.current.last = runId
      set(next)
    },
    [set],
  )
  return {
    selected,
    runs: useMemo(() => rows.filter(({ id }) => selected.has(id)), [rows, selected]),
    select,
    selectAll: (isSelected: boolean) => set(isSelected ? new Set(rows.map(({ id }) => id)) : none),
    clear: () => set(none),
  }
}
