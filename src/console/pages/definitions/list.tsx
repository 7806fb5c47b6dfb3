/** Definitions: operations, workflows and entities of a Project, and a new one. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, SelectField, TextArea, TextField } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { type DefinitionKind, kindsInWords } from './starters.ts'

export default function DefinitionsPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [creating, setCreating] = useState(false)
  const definitions = usePages(['definitions', projectId, 'list'], (options, query) =>
    api.v1.projects({ projectId }).definitions.get({ ...options, query }),
  )
  const begin = (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      New definition
    </Button>
  )
  return (
    <Page title="Definitions" about="What Agents can do, workflows of it, and entities with a life." actions={begin}>
      <DataTable
        label="definitions"
        pages={definitions}
        keyOf={({ id }) => id}
        href={({ id }) => at(projectOf(place), 'definitions', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Kind', cell: ({ kind }) => <Tag>{kind}</Tag> },
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
          <Empty icon="book" title="No definitions yet" action={begin}>
            Operations are what Agents can do; workflows order them; entities are data with a life.
          </Empty>
        }
      />
      <NewDefinition open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function NewDefinition({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [, navigate] = useLocation()
  const create = useAction(
    (body: { name: string; kind: DefinitionKind; description?: string }) =>
      api.v1.projects({ projectId }).definitions.post(body),
    {
      success: ({ name }) => `${name} is there`,
      changes: [
        ['definitions', projectId],
        ['parts', projectId],
      ],
      done: ({ id }) => navigate(at(projectOf(place), 'definitions', id)),
      quiet: true,
    },
  )
  return (
    <Dialog title="New definition" open={open} onClose={onClose}>
      <Form
        action={create}
        submit="Create definition"
        onSubmit={(text) => {
          const description = text('description')
          const kind = text('kind') as DefinitionKind
          return create.run({ name: text('name'), kind, ...(description && { description }) })
        }}
      >
        <TextField name="name" label="Name" hint="Others refer to it by its name: orders.find" required />
        <SelectField name="kind" label="Kind" hint="It stays.">
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
