/** Virtual list of rows of equal height: only visible rows are in the document. */
import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'

export interface VirtualRowsProps<Item> {
  label: string
  items: readonly Item[]
  rowHeight: number
  /** Maximum height of the scroll container. */
  heightMax: number
  keyOf: (item: Item, place: number) => string | number
  row: (item: Item, place: number) => ReactNode
  /** Called when the pointer or the focus enters the list, and when it leaves. */
  onAttention?: (isThere: boolean) => void
}

/** Overscan in rows. */
const beyond = 8

export function VirtualRows<Item>({
  label,
  items,
  rowHeight,
  heightMax,
  keyOf,
  row,
  onAttention,
}: VirtualRowsProps<Item>) {
  const frame = useRef<HTMLDivElement>(null)
  const height = Math.min(heightMax, items.length * rowHeight)
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: beyond,
    initialRect: { width: 0, height: heightMax },
    // without layout (tests) nothing can be measured
    observeElementRect: (instance, found) =>
      observeElementRect(instance, ({ width, height }) => found({ width, height: height || heightMax })),
  })

  return (
    // biome-ignore lint/a11y/useSemanticElements: a list cannot contain the spacer that makes it scroll
    <div
      ref={frame}
      className="virtual"
      style={{ height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
      tabIndex={0}
      role="list"
      aria-label={label}
      onPointerEnter={() => onAttention?.(true)}
      onPointerLeave={() => onAttention?.(false)}
      onFocus={() => onAttention?.(true)}
      onBlur={() => onAttention?.(false)}
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
