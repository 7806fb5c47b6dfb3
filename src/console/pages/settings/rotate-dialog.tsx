/** Rotates a secret: asks how long the old one goes on working, so that its users have time to move. */
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, type FormProps, SelectField } from '../../ui/forms/form.tsx'

/** The API takes up to a week. */
const overlaps: [seconds: number, words: string][] = [
  [0, 'Now'],
  [900, 'In 15 minutes'],
  [3_600, 'In 1 hour'],
  [86_400, 'In 24 hours'],
  [604_800, 'In 7 days'],
]

export interface RotateDialogProps {
  /** What is rotated: its name. */
  name: string
  action: FormProps['action']
  submit: string
  /** The default choice, in seconds. */
  usual: number
  hint?: string
  onRotate: (overlapSeconds: number) => unknown
  onClose: () => void
  /** What becomes of it. */
  children?: ReactNode
}

export const RotateDialog = ({ name, action, submit, usual, hint, onRotate, onClose, children }: RotateDialogProps) => (
  <Dialog title={`Rotate ${name}`} open onClose={onClose}>
    <Form action={action} submit={submit} onSubmit={(text) => onRotate(Number(text('overlapSeconds')))}>
      {children}
      <SelectField name="overlapSeconds" label="Expire the old one" hint={hint} defaultValue={usual}>
        {overlaps.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </SelectField>
    </Form>
  </Dialog>
)
