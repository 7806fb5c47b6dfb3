/** A scroll container that follows its end until the user scrolls up. */
import { type ReactNode, useEffect, useRef } from 'react'

/** Distance in pixels that counts as the end. */
const near = 48

export function Pinned({ label, busy, children }: { label: string; busy: boolean; children: ReactNode }) {
  const frame = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const pinned = useRef(true)

  useEffect(() => {
    const outer = frame.current
    const inner = content.current
    if (!outer || !inner || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => {
      if (pinned.current) outer.scrollTop = outer.scrollHeight
    })
    observer.observe(inner)
    return () => observer.disconnect()
  }, [])

  return (
    <section
      ref={frame}
      className="conversation"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        pinned.current = scrollHeight - scrollTop - clientHeight < near
      }}
    >
      {/* announced per sentence, not per word */}
      <div ref={content} className="conversation-content" role="log" aria-busy={busy}>
        {children}
      </div>
    </section>
  )
}
