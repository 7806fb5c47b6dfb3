/** Definitions of a Project, and the form for a new one. */
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField, TextArea, TextField } from '../../ui/forms/form.tsx'
import { useListSearch } from '../../ui/search/use-list-search.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { RevisedList } from '../revisions/list.tsx'
import { changesOf, publishAt } from '../revisions/revised.ts'
import { type DefinitionKind, kindsInWords } from './starters.ts'

export default function DefinitionsPage() {
  const api = useApi()
  const { projectId } = useIds('projectId')
  const narrowing = useListSearch()
  const definitions = usePages(['definitions', projectId, 'list', narrowing.filter], (options, query) =>
    api.v1.projects({ projectId }).definitions.get({ ...options, query: { ...query, ...narrowing.filter } }),
  )
  return (
    <RevisedList
      kind="definitions"
      about="Operations that Agents can call, workflows, and entity types."
      pages={definitions}
      narrowing={narrowing}
      mark={{ title: 'Kind', cell: ({ kind }) => <Tag>{kind}</Tag> }}
      whenEmpty="Definitions describe operations for Agents, workflows of operations, and entity types."
      creation={(open, onClose) => <NewDefinition open={open} onClose={onClose} />}
    />
  )
}

function NewDefinition({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const create = useAction(
    (body: { name: string; kind: DefinitionKind; description?: string }) =>
      api.v1.projects({ projectId }).definitions.post(body),
    {
      success: ({ name }) => `${name} created`,
      changes: changesOf('definitions', projectId),
      opens: ({ id }) => publishAt(at(projectOf(place), 'definitions', id)),
      quiet: true,
    },
  )
  return (
    <Dialog title="New definition" open={open} onClose={onClose}>
      <Form
        needs="definitions:create"
        action={create}
        submit="Create definition"
        onSubmit={(text) => {
          const description = text('description')
          const kind = text('kind') as DefinitionKind
          return create.run({ name: text('name'), kind, ...(description && { description }) })
        }}
      >
        <TextField name="name" label="Name" hint="Used in references: orders.find" required />
        <SelectField name="kind" label="Kind" hint="It cannot be changed.">
          {Object.entries(kindsInWords).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {`${kind}: ${words}`}
            </option>
          ))}
        </SelectField>
        <TextArea name="description" label="Description" hint="Optional." rows={2} />
      </Form>
    </Dialog>
  )
}
