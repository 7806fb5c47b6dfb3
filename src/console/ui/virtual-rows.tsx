/** Long lists of rows of one height: only those that can be seen are in the document, however many there are. */
import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface VirtualRowsProps<Item> {
  label: string
  items: readonly Item[]
  rowHeight: number
  /** Of the frame that scrolls, at most. */
  heightMax: number
  keyOf: (item: Item, place: number) => string | number
  row: (item: Item, place: number) => ReactNode
}

/** Rows beyond the edges, so that scrolling shows no gaps. */
const beyond = 8

export function VirtualRows<Item>({ label, items, rowHeight, heightMax, keyOf, row }: VirtualRowsProps<Item>) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = Math.min(heightMax, items.length * rowHeight)
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + beyond)

  // a list that has become shorter
  useEffect(() => {
    const topMax = Math.max(0, items.length * rowHeight - height)
    if (top > topMax) setTop(topMax)
  }, [items.length, rowHeight, height, top])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a list cannot hold the spacer that makes it scroll
    <div
      ref={frame}
      className="virtual"
      style={{ height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to get into it
      tabIndex={0}
      role="list"
      aria-label={label}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div className="virtual-space" style={{ height: items.length * rowHeight }}>
        {items.slice(first, last).map((item, offset) => {
          const place = first + offset
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={keyOf(item, place)}
              role="listitem"
              aria-posinset={place + 1}
              aria-setsize={items.length}
              className="virtual-row"
              style={{ top: place * rowHeight, height: rowHeight }}
            >
              {row(item, place)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
