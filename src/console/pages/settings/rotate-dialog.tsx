/** Dialog that rotates a secret, with an overlap in which the old one stays valid. */
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, type FormProps, SelectField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'

/** In seconds; the API allows up to a week. */
const overlaps: [seconds: number, words: string][] = [
  [0, 'Now'],
  [900, 'In 15 minutes'],
  [3_600, 'In 1 hour'],
  [86_400, 'In 24 hours'],
  [604_800, 'In 7 days'],
]

interface RotateDialogProps {
  /** Name of the rotated resource. */
  name: string
  action: FormProps['action']
  submit: string
  /** Default overlap, in seconds. */
  usual: number
  hint?: string
  onRotate: (overlapSeconds: number) => unknown
  onClose: () => void
  /** Explanation of the consequences. */
  children?: ReactNode
}

export const RotateDialog = ({ name, action, submit, usual, hint, onRotate, onClose, children }: RotateDialogProps) => (
  <Dialog title={`Rotate ${name}`} open onClose={onClose}>
    <Form action={action} submit={submit} onSubmit={(text) => onRotate(Number(text('overlapSeconds')))}>
      {children}
      <SelectField name="overlapSeconds" label="Expire the old one" hint={hint} defaultValue={usual}>
        <Options of={overlaps} />
      </SelectField>
    </Form>
  </Dialog>
)
