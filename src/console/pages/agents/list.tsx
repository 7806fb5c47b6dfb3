/** Agents: those of a Project, and a new one. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, TextArea, TextField } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { slugOf } from '../projects/slug.ts'

export default function AgentsPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [creating, setCreating] = useState(false)
  const agents = usePages(['agents', projectId, 'list'], (options, query) =>
    api.v1.projects({ projectId }).agents.get({ ...options, query }),
  )
  const begin = (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      New agent
    </Button>
  )
  return (
    <Page
      title="Agents"
      about="What each is told to be and do is published as revisions, which never change."
      actions={begin}
    >
      <DataTable
        label="agents"
        pages={agents}
        keyOf={({ id }) => id}
        href={({ id }) => at(projectOf(place), 'agents', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
          {
            title: 'Status',
            cell: ({ status, latestRevisionId }) =>
              status === 'active' && latestRevisionId === null ? (
                <StateBadge state="nothing published" tone="waiting" />
              ) : (
                <StateBadge state={status} />
              ),
          },
          { title: 'About', cell: ({ description }) => description ?? <span className="faint">–</span> },
          { title: 'Id', cell: ({ id }) => <Id id={id} /> },
          { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        empty={
          <Empty icon="agent" title="No agents yet" action={begin}>
            An Agent is instructions, a model, and what it may call.
          </Empty>
        }
      />
      <NewAgent open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function NewAgent({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [, navigate] = useLocation()
  const [slug, setSlug] = useState('')
  const create = useAction(
    (body: { name: string; slug: string; description?: string }) => api.v1.projects({ projectId }).agents.post(body),
    {
      success: ({ name }) => `${name} is there`,
      changes: [
        ['agents', projectId],
        ['parts', projectId],
      ],
      done: ({ id }) => navigate(at(projectOf(place), 'agents', id)),
      quiet: true,
    },
  )
  return (
    <Dialog title="New agent" open={open} onClose={onClose}>
      <Form
        action={create}
        submit="Create agent"
        onSubmit={(text) => {
          const description = text('description')
          return create.run({ name: text('name'), slug: text('slug'), ...(description && { description }) })
        }}
      >
        <TextField name="name" label="Name" required onChange={({ target }) => setSlug(slugOf(target.value))} />
        <TextField
          name="slug"
          label="Slug"
          hint="Unique in the Project. It stays."
          required
          value={slug}
          onChange={({ target }) => setSlug(target.value)}
        />
        <TextArea name="description" label="Description" hint="Optional. For the people who work with it." rows={2} />
      </Form>
    </Dialog>
  )
}
