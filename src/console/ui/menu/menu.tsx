/** A button that opens a menu. Arrow keys move in it; Escape and losing the focus close it. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../forms/button.tsx'
import type { IconName } from '../icon.tsx'
import './menu.css'

interface MenuItem {
  title: string
  /** Additional small text. */
  note?: string
  onChoose: () => void
}

interface MenuProps {
  /** Label of the button and of the menu. */
  label: string
  icon: IconName
  items: MenuItem[]
}

export function Menu({ label, icon, items }: MenuProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const button = () => frame.current?.querySelector<HTMLElement>('[aria-haspopup]')
  const entries = () => [...(frame.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]

  // biome-ignore lint/correctness/useExhaustiveDependencies: only on opening
  useEffect(() => {
    if (open) entries()[0]?.focus()
  }, [open])

  function onKeyDown(event: KeyboardEvent) {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const moves: Record<string, number> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }
    const to = moves[event.key]
    if (event.key === 'Escape') {
      setOpen(false)
      button()?.focus()
    } else if (to !== undefined) all[to]?.focus()
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for the loss of focus
    <div
      ref={frame}
      className="menu"
      onBlur={({ relatedTarget }) => {
        if (!frame.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <Button icon={icon} aria-haspopup="menu" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {label}
      </Button>
      {open && (
        <div id={id} className="menu-items" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
          {items.map(({ title, note, onChoose }) => (
            <button
              key={title}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className="menu-item"
              onClick={() => {
                setOpen(false)
                button()?.focus()
                onChoose()
              }}
            >
              {title}
              {note && <span className="menu-note">{note}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
