/** Long lists of rows of one height: only those that can be seen are in the document, however many there are. */
import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'

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
  const height = Math.min(heightMax, items.length * rowHeight)
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: beyond,
    initialRect: { width: 0, height: heightMax },
    // a document without a layout measures nothing
    observeElementRect: (instance, found) =>
      observeElementRect(instance, ({ width, height }) => found({ width, height: height || heightMax })),
  })

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
    >
      <div className="virtual-space" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index] as Item
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={keyOf(item, index)}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={items.length}
              className="virtual-row"
              style={{ top: start, height: size }}
            >
              {row(item, index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
