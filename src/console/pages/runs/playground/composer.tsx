/** Message input. Enter sends, Shift+Enter starts a new line. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import type { Permission } from '../../../../platform/http/guard/permissions.ts'
import { lackingText, useLacks } from '../../../session/permissions.ts'
import { Button } from '../../../ui/forms/button.tsx'

interface ComposerProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  onSend: () => unknown
  send: string
  pending: boolean
  /** The permission that sending needs. */
  needs: Permission
  disabled?: boolean
  /** Hint, or reason why it is disabled. */
  note?: ReactNode
  /** Shown above the buttons, such as files. */
  above?: ReactNode
  /** Shown before the note, such as buttons. */
  tools?: ReactNode
}

export function Composer(props: ComposerProps) {
  const { label, placeholder, value, onChange, onSend, send, pending, needs, note, above, tools } = props
  const lacks = useLacks(needs)
  const disabled = props.disabled || lacks
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!pending && !disabled) form.current?.requestSubmit()
  }
  return (
    <form
      ref={form}
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (!pending && !disabled) void onSend()
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <textarea
        id={id}
        rows={Math.min(10, Math.max(2, value.split('\n').length))}
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
      {above}
      <div className="row composer-foot">
        {tools}
        <span className="faint">
          {lacks ? lackingText(needs) : (note ?? 'Enter to send, Shift+Enter for a new line.')}
        </span>
        <Button type="submit" tone="primary" icon="run" pending={pending} disabled={disabled}>
          {send}
        </Button>
      </div>
    </form>
  )
}
