/** Name, description and deletion of an Agent or a Definition. */
import type { ReactNode } from 'react'
import { useSavedFields } from '../../data/changed-fields.ts'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { Form, TextArea, TextField } from '../../ui/forms/form.tsx'
import { Facts, Section } from '../../ui/page.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { type Doing, type Revised, type RevisedKind, wordsOf } from './revised.ts'

interface AboutProps {
  kind: RevisedKind
  thing: Revised
  /** An identifying fact. */
  mark: [name: string, value: ReactNode]
  change: Doing<[body: { name?: string; description?: string | null }]>
  /** Hint of the name field. */
  nameHint?: string
}

export function About({ kind, thing: { id, name, description, createdAt }, mark, change, nameHint }: AboutProps) {
  const save = useSavedFields({ name, description }, change.run)
  return (
    <Section title="About">
      <Facts facts={[['ID', <Id key="id" id={id} />], mark, ['Created', <Time key="created" at={createdAt} />]]} />
      <div className="panel">
        <Form
          needs={wordsOf[kind].needs.change}
          action={change}
          submit="Save"
          onSubmit={(text) => save({ name: text('name'), description: text('description') || null })}
        >
          <TextField name="name" label="Name" hint={nameHint} required defaultValue={name} />
          <TextArea name="description" label="Description" rows={2} defaultValue={description ?? ''} />
        </Form>
      </div>
    </Section>
  )
}

interface EndProps {
  kind: RevisedKind
  thing: Revised
  /** Which deletions are refused, and what is deleted too. */
  about: string
  consequence: string
  remove: Doing<[]>
  /** Details of a refused deletion. */
  children?: ReactNode
}

export const End = ({ kind, thing: { name, status }, about, consequence, remove, children }: EndProps) => (
  <Section title="Delete">
    <div className="panel">
      <p>{about}</p>
      {children}
      <div className="row">
        <ConfirmButton
          needs={wordsOf[kind].needs.remove}
          pending={remove.pending}
          disabled={status === 'deleting'}
          question={`Delete ${name}?`}
          consequence={<p>{consequence} This cannot be undone.</p>}
          typed={name}
          confirm="Delete permanently"
          onConfirm={() => remove.run()}
        >
          Delete this {wordsOf[kind].one}
        </ConfirmButton>
      </div>
    </div>
  </Section>
)
