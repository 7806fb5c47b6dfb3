/** What a Definition is called, and its end. */
import { useLocation } from 'wouter'
import type { Definition } from '../../../definitions/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { Id } from '../../ui/code.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Form, TextArea, TextField } from '../../ui/form.tsx'
import { Facts, Section } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'

const changesOf = ({ projectId }: Definition) => [
  ['definitions', projectId],
  ['parts', projectId],
]

export function DefinitionName({ definition }: { definition: Definition }) {
  const api = useApi()
  const { projectId, id: definitionId, name, kind, description, createdAt } = definition
  const change = useAction(
    (body: { name?: string; description: string | null }) =>
      api.v1.projects({ projectId }).definitions({ definitionId }).patch(body),
    { success: 'The Definition is changed', changes: changesOf(definition), quiet: true },
  )
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" id={definitionId} />],
          ['Kind', kind],
          ['Created', <Time key="created" at={createdAt} />],
        ]}
      />
      <div className="panel">
        <Form
          action={change}
          submit="Save"
          onSubmit={(text) =>
            change.run({
              ...(text('name') !== name && { name: text('name') }),
              description: text('description') || null,
            })
          }
        >
          <TextField
            name="name"
            label="Name"
            hint="Others refer to it; once a Release pins it, it stays."
            required
            defaultValue={name}
          />
          <TextArea name="description" label="Description" rows={2} defaultValue={description ?? ''} />
        </Form>
      </div>
    </Section>
  )
}

export function DefinitionEnd({ definition }: { definition: Definition }) {
  const api = useApi()
  const place = usePlace()
  const [, navigate] = useLocation()
  const { projectId, id: definitionId, name } = definition
  const remove = useAction(() => api.v1.projects({ projectId }).definitions({ definitionId }).delete(), {
    success: `${name} is deleted`,
    changes: changesOf(definition),
    done: () => navigate(at(projectOf(place), 'definitions')),
  })
  return (
    <Section title="End">
      <div className="panel">
        <p>It goes with its revisions, and its name is free again. Not while an active Deployment pins it.</p>
        <div className="row">
          <ConfirmButton
            pending={remove.pending}
            question={`Delete ${name}?`}
            consequence={<p>Its revisions are removed too. This cannot be taken back.</p>}
            typed={name}
            confirm="Delete it for good"
            onConfirm={() => remove.run()}
          >
            Delete this definition
          </ConfirmButton>
        </div>
      </div>
    </Section>
  )
}
