/** Status of the bindings declared by Agents of the active Deployment, from stored data only. */
import { useResource } from '../../../data/resource.ts'
import { StateBadge, type Tone } from '../../../ui/badge.tsx'
import { Section } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { useAgents } from '../environment-lists.ts'

type State = 'healthy' | 'missing' | 'disabled' | 'expired' | 'version_unavailable'

const meanings: Record<State, [Tone, string]> = {
  healthy: ['good', 'The Connection and its credential are available.'],
  missing: ['bad', 'No Connection of the required kind is bound.'],
  disabled: ['bad', 'The Connection or its credential is disabled.'],
  expired: ['bad', 'The credential or the consent has expired.'],
  version_unavailable: ['bad', 'A pinned version was deleted or revoked, or the required credential is gone.'],
}

export function ConnectionHealth() {
  const { projectId, environmentId, environment } = useEnvironment()
  const agents = useAgents()
  const here = useResource(['environments', projectId, environmentId], (options) => environment.get(options))
  const isActive = here.value?.activeDeploymentId != null
  const health = useResource(isActive ? ['connections', environmentId, 'health'] : null, (options) =>
    environment.connections.health.get(options),
  )
  if (!isActive || health.failure?.status === 403) return null
  return (
    <Section title="Declared bindings">
      <Shown resource={health} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="faint">The Agents declare no Connections.</p>
          ) : (
            <Table
              label="declared bindings"
              items={items}
              keyOf={({ agentId, bindingKey }) => `${agentId} ${bindingKey}`}
              columns={[
                { title: 'Binding', cell: ({ bindingKey }) => <code>{bindingKey}</code> },
                {
                  title: 'Agent',
                  cell: ({ agentId }) => agents.value?.find(({ id }) => id === agentId)?.name ?? <Id id={agentId} />,
                },
                { title: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
                { title: 'State', cell: ({ state }) => <StateBadge state={state} tone={meanings[state][0]} /> },
                { title: 'Meaning', cell: ({ state }) => <span className="faint">{meanings[state][1]}</span> },
              ]}
            />
          )
        }
      </Shown>
    </Section>
  )
}
