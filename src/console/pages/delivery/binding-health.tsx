/** Binding problems of the active Deployment; renders nothing if there are none. */
import { useApi } from '../../data/context.ts'
import { nameOrId } from '../../data/name-or-id.ts'
import { useResource } from '../../data/resource.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import type { Environment } from './environments.ts'
import { useParts } from './parts.ts'

const meanings = {
  healthy: 'The Connection and its credential are available.',
  missing: 'No Connection of the required kind is bound.',
  disabled: 'The Connection, or its credential, is disabled.',
  expired: 'The credential or the consent has expired.',
  version_unavailable: 'A pinned version was deleted or revoked, or the required credential is gone.',
}

export function BindingHealth({ environment: { projectId, id: environmentId } }: { environment: Environment }) {
  const api = useApi()
  const parts = useParts(projectId)
  const health = useResource(['connections', environmentId, 'health'], (options) =>
    api.v1.projects({ projectId }).environments({ environmentId }).connections.health.get(options),
  )
  const troubled = health.value?.items.filter(
    ({ state, required }) => state !== 'healthy' && (required || state !== 'missing'),
  )
  if (!troubled || troubled.length === 0) return null
  return (
    <Section title="Binding problems">
      <Table
        label="binding problems"
        items={troubled}
        keyOf={({ agentId, bindingKey }) => `${agentId} ${bindingKey}`}
        columns={[
          { title: 'Agent', cell: ({ agentId }) => nameOrId(parts, parts.value?.nameOf(agentId), agentId) },
          { title: 'Binding', cell: ({ bindingKey }) => <Tag>{bindingKey}</Tag> },
          {
            title: 'State',
            cell: ({ state }) => <StateBadge state={state} tone={state === 'healthy' ? 'good' : 'bad'} />,
          },
          { title: 'Meaning', cell: ({ state }) => meanings[state] },
        ]}
      />
    </Section>
  )
}
