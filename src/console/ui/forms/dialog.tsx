/**
 * Modal dialogs: the browser's own, which keeps the focus inside and closes with Escape. It begins at the first control, or
 * at what is marked `data-focus`.
 */
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'

export interface DialogProps {
  title: string
  open: boolean
  /** Asked to close. Without it the dialog stays until its content is done. */
  onClose?: () => void
  children: ReactNode
  /** `drawer`: at the left edge, for the navigation on a phone. */
  shape?: 'box' | 'wide' | 'drawer'
}

const controls = 'input, select, textarea, [aria-current]'

export function Dialog({ title, open, onClose, children, shape = 'box' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()

  useEffect(() => {
    const dialog = element.current
    if (!open || !dialog) return
    const before = document.activeElement
    dialog.showModal()
    // where one types, not where one closes
    const first = dialog.querySelector<HTMLElement>('[data-focus]') ?? dialog.querySelector<HTMLElement>(controls)
    first?.focus()
    return () => {
      dialog.close()
      // a dialog that is gone from the page does not give the focus back by itself
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [open])

  if (!open) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on what is around it
    <dialog
      ref={element}
      className={`dialog dialog-${shape}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose?.()
      }}
    >
      <div className="dialog-content">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {onClose && <IconButton label="Close" icon="close" onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  )
}
