/** What an Agent is called, and what it is for. */
import type { Agent } from '../../../agents/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { Id } from '../../ui/code.tsx'
import { Form, TextArea, TextField } from '../../ui/form.tsx'
import { Facts, Section } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

export function AgentName({ agent }: { agent: Agent }) {
  const api = useApi()
  const { projectId, id: agentId, name, slug, description, createdAt } = agent
  const change = useAction(
    (body: { name: string; description: string | null }) =>
      api.v1.projects({ projectId }).agents({ agentId }).patch(body),
    {
      success: 'The Agent is changed',
      changes: [
        ['agents', projectId],
        ['parts', projectId],
      ],
      quiet: true,
    },
  )
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" id={agentId} />],
          ['Slug', <code key="slug">{slug}</code>],
          ['Created', <Time key="created" at={createdAt} />],
        ]}
      />
      <div className="panel">
        <Form
          action={change}
          submit="Save"
          onSubmit={(text) => change.run({ name: text('name'), description: text('description') || null })}
        >
          <TextField name="name" label="Name" required defaultValue={name} />
          <TextArea name="description" label="Description" rows={2} defaultValue={description ?? ''} />
        </Form>
      </div>
    </Section>
  )
}
