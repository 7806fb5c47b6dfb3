/** Which rows of a long list can be seen, while the page itself scrolls. All rows are of one height. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows are added and removed in groups of this size, so that slow scrolling rarely renders. */
const block = 4
/** Rows above and below those that can be seen. */
const beyond = 12

interface SeenRows {
  /** The first row. */
  from: number
  /** The row behind the last. */
  to: number
  /** Whether the top of the list is out of sight. */
  isBelow: boolean
}

const isSame = (one: SeenRows, other: SeenRows) =>
  one.from === other.from && one.to === other.to && one.isBelow === other.isBelow

/** Of a list that begins where its element does. */
export function useSeenRows(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): SeenRows {
  const [seen, setSeen] = useState<SeenRows>({ from: 0, to: 0, isBelow: false })
  const latest = useRef({ seen, count, rowHeight })
  latest.current = { seen, count, rowHeight }
  /** What is seen now, if it is not what is shown. */
  const changed = useCallback((): SeenRows | undefined => {
    const { seen, count, rowHeight } = latest.current
    const above = -(list.current?.getBoundingClientRect().top ?? 0)
    const first = Math.floor(above / rowHeight / block) * block
    const last = Math.ceil((above + window.innerHeight) / rowHeight / block) * block
    const within = (row: number) => Math.max(0, Math.min(row, count))
    const now = { from: within(first - beyond), to: within(last + beyond), isBelow: above > 0 }
    return isSame(now, seen) ? undefined : now
  }, [list])
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows, or of another height
  useLayoutEffect(() => {
    const now = changed()
    if (now) setSeen(now)
  }, [changed, count, rowHeight])
  useEffect(() => {
    const look = () => {
      const now = changed()
      // rendered in a later frame, rows would be missing in this one
      if (now) flushSync(() => setSeen(now))
    }
    for (const event of ['scroll', 'resize']) window.addEventListener(event, look, { passive: true })
    return () => {
      for (const event of ['scroll', 'resize']) window.removeEventListener(event, look)
    }
  }, [changed])
  return seen
}
