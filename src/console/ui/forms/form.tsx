/**
 * Forms: fields with labels, hints and validation issues; in a dialog, with a button that closes it. An API issue (`/body/slug`) appears at the field of that name, other
 * issues above the form.
 *
 *     <Form action={create} onSubmit={(text) => create.run({ name: text('name') })} submit="Create">
 *       <TextField name="name" label="Name" required />
 *     </Form>
 */
import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
  useRef,
} from 'react'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { ApiFailure, Issue } from '../../api/failure.ts'
import { FailureText } from '../failure-text.tsx'
import { Button, type ButtonTone } from './button.tsx'
import { CloseContext } from './dialog.tsx'

interface FormFailure {
  pending: boolean
  failure: ApiFailure | undefined
  issues: Issue[]
}

const IssuesContext = createContext<Issue[]>([])

/** Issues at `/body/name` and below. */
const isOf = (name: string, { path }: Issue) => path === `/body/${name}` || path.startsWith(`/body/${name}/`)

export interface FormProps {
  /** The submit action; use `quiet: true`, because the form shows failures. */
  action: FormFailure
  /** Receives a reader of the fields by name; values are trimmed. */
  onSubmit: (text: (name: string) => string, data: FormData) => unknown
  submit: string
  /** The permission that it needs, of a form that is open from the beginning. */
  needs?: Permission
  tone?: ButtonTone
  children: ReactNode
  /** Shown beside the submit button. */
  beside?: ReactNode
}

export function Form({ action, onSubmit, submit, needs, tone = 'primary', children, beside }: FormProps) {
  const element = useRef<HTMLFormElement>(null)
  const { failure, issues } = action

  // focus the first invalid field
  useEffect(() => {
    if (failure) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])

  const fields = new Set([...(element.current?.elements ?? [])].map((each) => each.getAttribute('name') ?? ''))
  const unplaced = issues.filter((issue) => ![...fields].some((name) => name !== '' && isOf(name, issue)))
  return (
    <IssuesContext.Provider value={issues}>
      <form
        ref={element}
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          void onSubmit((name) => String(data.get(name) ?? '').trim(), data)
        }}
      >
        {failure && (issues.length === 0 || unplaced.length > 0) && (
          <div className="banner banner-bad" role="alert">
            {issues.length === 0 ? (
              <FailureText failure={failure} />
            ) : (
              <ul>
                {unplaced.map(({ path, message }) => (
                  <li key={path + message}>
                    <code>{path}</code> {message}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        {children}
        <FormActions>
          <Button {...(needs && { needs })} type="submit" tone={tone} pending={action.pending}>
            {submit}
          </Button>
          {beside}
        </FormActions>
      </form>
    </IssuesContext.Provider>
  )
}

/** The buttons below a form; in a dialog, with one that closes it. */
export function FormActions({ children }: { children: ReactNode }) {
  const close = useContext(CloseContext)
  return (
    <footer className={close ? 'dialog-actions' : 'form-actions'}>
      {close && <Button onClick={close}>Cancel</Button>}
      {children}
    </footer>
  )
}

export interface FieldProps {
  name: string
  label: string
  hint?: ReactNode
}

interface Wiring {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

interface LabelledProps extends Omit<FieldProps, 'name'> {
  issues: readonly Issue[]
  children: (wiring: Wiring) => ReactNode
}

/** Label, control, hint and issues of a field; the control receives the ids that associate them. */
export function Labelled({ label, hint, issues, children }: LabelledProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, issues.length > 0 && `${id}-issues`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': issues.length > 0 || undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      {issues.length > 0 && (
        <p id={`${id}-issues`} className="field-issues">
          {issues.map(({ message }) => message).join(' ')}
        </p>
      )}
    </div>
  )
}

/** A `Labelled` control of a form, with the issues of its name. */
export function Field({
  name,
  children,
  ...rest
}: FieldProps & { children: (wiring: Wiring & { name: string }) => ReactNode }) {
  const issues = useContext(IssuesContext).filter((issue) => isOf(name, issue))
  return (
    <Labelled {...rest} issues={issues}>
      {(wiring) => children({ ...wiring, name })}
    </Labelled>
  )
}

type Inputs = FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, 'name'>
export const TextField = ({ name, label, hint, ...rest }: Inputs) => (
  <Field name={name} label={label} hint={hint}>
    {(wiring) => <input type="text" autoComplete="off" {...rest} {...wiring} />}
  </Field>
)

type Areas = FieldProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'name'>
export const TextArea = ({ name, label, hint, ...rest }: Areas) => (
  <Field name={name} label={label} hint={hint}>
    {(wiring) => <textarea rows={4} {...rest} {...wiring} />}
  </Field>
)

type Selects = FieldProps & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'>
/** Pass `<option>`s. */
export const SelectField = ({ name, label, hint, ...rest }: Selects) => (
  <Field name={name} label={label} hint={hint}>
    {(wiring) => <select {...rest} {...wiring} />}
  </Field>
)

export const CheckField = ({ name, label, hint, ...rest }: Inputs) => (
  <div className="field-check">
    <Field name={name} label={label} hint={hint}>
      {(wiring) => <input type="checkbox" {...rest} {...wiring} />}
    </Field>
  </div>
)
