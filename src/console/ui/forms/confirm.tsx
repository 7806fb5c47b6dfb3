/** A button that asks for confirmation. */
import { type ReactNode, useId, useState } from 'react'
import { useMaybeOpened } from '../../use-opened.ts'
import { Button, type ButtonProps } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'

export interface ConfirmButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** Title of the dialog: "Delete this webhook?" */
  question: string
  /** What will happen. */
  consequence: ReactNode
  /** Label of the confirming button; defaults to that of the outer button. */
  confirm?: string
  /** Text the user must type to confirm, such as the name of a Project. */
  typed?: string
  /** `wide`: for a long consequence. */
  shape?: DialogProps['shape']
  onConfirm: () => unknown
  /** Name of the question in the address, so that a link can ask it. */
  asked?: string
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const {
    question,
    consequence,
    confirm,
    typed,
    shape,
    onConfirm,
    asked,
    pending,
    children,
    tone = 'danger',
    ...rest
  } = props
  // red is for destructive actions
  const isLoss = tone !== 'primary'
  const label = confirm ?? children
  // beside a button that cancels, another one would say the opposite with the same word
  const back = typeof label === 'string' && /cancel/i.test(label) ? 'Keep it' : 'Cancel'
  const [open, setOpen] = useMaybeOpened(asked)
  const [text, setText] = useState('')
  const inputId = useId()
  const ready = typed === undefined || text === typed
  const close = () => {
    setOpen(false)
    setText('')
  }
  return (
    <>
      <Button {...rest} tone={tone} pending={pending ?? false} onClick={() => setOpen(true)}>
        {children}
      </Button>
      <Dialog title={question} open={open} onClose={close} {...(shape && { shape })}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (!ready) return
            close()
            void onConfirm()
          }}
        >
          <div className="stack">{consequence}</div>
          {typed !== undefined && (
            <div className="field">
              <label htmlFor={inputId}>
                Type <strong>{typed}</strong> to confirm
              </label>
              <input id={inputId} value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
            </div>
          )}
          <footer className="dialog-actions">
            <Button onClick={close}>{back}</Button>
            <Button type="submit" tone={isLoss ? 'danger' : 'primary'} disabled={!ready}>
              {label}
            </Button>
          </footer>
        </form>
      </Dialog>
    </>
  )
}
