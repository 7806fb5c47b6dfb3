/**
 * Modal dialogs: the browser's `<dialog>`, which traps the focus and closes with Escape. Focus starts at the first control, or at
 * `data-focus`, also if that loads after the dialog is shown.
 */
import { createContext, type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'

export interface DialogProps {
  title: string
  open: boolean
  /** Called to close. Without it the dialog closes only through its content. */
  onClose?: () => void
  children: ReactNode
  /** `drawer`: at the left edge, for navigation on phones. `palette`: its title is for screen readers only. */
  shape?: 'box' | 'wide' | 'drawer' | 'palette'
}

/** Closes the dialog around; undefined outside of dialogs, and where a dialog closes only through its content. */
export const CloseContext = createContext<(() => void) | undefined>(undefined)

const controls = 'input, select, textarea, [aria-current]'

/** Focuses a control rather than the close button; waits for one unless the user is quicker. */
function focusFirst(dialog: HTMLElement): () => void {
  const begun = dialog.ownerDocument.activeElement
  const focus = (): boolean => {
    const first = dialog.querySelector<HTMLElement>('[data-focus]') ?? dialog.querySelector<HTMLElement>(controls)
    first?.focus()
    return first !== null
  }
  if (focus()) return () => {}
  const added = new MutationObserver(() => {
    if (dialog.ownerDocument.activeElement !== begun || focus()) added.disconnect()
  })
  added.observe(dialog, { childList: true, subtree: true })
  dialog.addEventListener('keydown', () => added.disconnect(), { once: true })
  return () => added.disconnect()
}

export function Dialog({ title, open, onClose, children, shape = 'box' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  // a text that is selected up to the backdrop ends in a click on the dialog
  const pressed = useRef<EventTarget>(null)
  const titleId = useId()

  useEffect(() => {
    const dialog = element.current
    if (!open || !dialog) return
    const before = document.activeElement
    dialog.showModal()
    const stopWaiting = focusFirst(dialog)
    return () => {
      stopWaiting()
      dialog.close()
      // a removed dialog does not restore the focus by itself
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [open])

  if (!open) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on the backdrop
    <dialog
      ref={element}
      className={`dialog dialog-${shape}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onMouseDown={({ target }) => {
        pressed.current = target
      }}
      onClick={({ target }) => {
        if (target === element.current && pressed.current === target) onClose?.()
      }}
    >
      <div className="dialog-content">
        {shape === 'palette' ? (
          <h2 id={titleId} className="visually-hidden">
            {title}
          </h2>
        ) : (
          <header className="dialog-head">
            <h2 id={titleId}>{title}</h2>
            {onClose && <IconButton label="Close" icon="close" onClick={onClose} />}
          </header>
        )}
        <CloseContext.Provider value={onClose}>{children}</CloseContext.Provider>
      </div>
    </dialog>
  )
}
