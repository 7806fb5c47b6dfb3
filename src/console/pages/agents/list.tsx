/** Agents of a Project, and the form for a new one. */
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, TextArea } from '../../ui/forms/form.tsx'
import { NameAndSlug } from '../../ui/forms/name-and-slug.tsx'
import { useListSearch } from '../../ui/search/use-list-search.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { RevisedList } from '../revisions/list.tsx'
import { changesOf, publishAt } from '../revisions/revised.ts'

export default function AgentsPage() {
  const api = useApi()
  const { projectId } = useIds('projectId')
  const narrowing = useListSearch()
  const agents = usePages(['agents', projectId, 'list', narrowing.filter], (options, query) =>
    api.v1.projects({ projectId }).agents.get({ ...options, query: { ...query, ...narrowing.filter } }),
  )
  return (
    <RevisedList
      kind="agents"
      about="Agents and their instructions, published as immutable revisions."
      pages={agents}
      narrowing={narrowing}
      mark={{ title: 'Slug', cell: ({ slug }) => <code>{slug}</code> }}
      whenEmpty="An Agent has instructions, a model and permissions."
      creation={(open, onClose) => <NewAgent open={open} onClose={onClose} />}
    />
  )
}

function NewAgent({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const create = useAction(
    (body: { name: string; slug: string; description?: string }) => api.v1.projects({ projectId }).agents.post(body),
    {
      success: ({ name }) => `${name} created`,
      changes: changesOf('agents', projectId),
      opens: ({ id }) => publishAt(at(projectOf(place), 'agents', id)),
      quiet: true,
    },
  )
  return (
    <Dialog title="New agent" open={open} onClose={onClose}>
      <Form
        needs="agents:push"
        action={create}
        submit="Create agent"
        onSubmit={(text) => {
          const description = text('description')
          return create.run({ name: text('name'), slug: text('slug'), ...(description && { description }) })
        }}
      >
        <NameAndSlug hint="Unique in the Project. It cannot be changed." />
        <TextArea name="description" label="Description" hint="Optional. For your team." rows={2} />
      </Form>
    </Dialog>
  )
}
