/** Enables and disables System Agents, for owners of the first organization. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import './tools/tools.css'

export function ManageSystemAgents() {
  const api = useApi()
  const { value } = useResource(['agents', 'system'], (options) =>
    api.v1['system-agents'].get({ ...options, query: { limit: 100 } }),
  )
  if (!value) return null
  return (
    <details className="surface tools">
      <summary>Manage System Agents</summary>
      <p className="faint">For the whole installation; owners of its first organization decide.</p>
      <ul className="tool-list" aria-label="System Agents">
        {value.items.map((agent) => (
          <One key={agent.id} agent={agent} />
        ))}
      </ul>
    </details>
  )
}

interface OneProps {
  agent: { id: string; name: string; enabled: boolean }
}

function One({ agent: { id: agentId, name, enabled } }: OneProps) {
  const api = useApi()
  const change = useAction((enabled: boolean) => api.v1['system-agents']({ agentId }).patch({ enabled }), {
    success: ({ enabled }) => `${name} ${enabled ? 'enabled' : 'disabled'}`,
    changes: [['agents', 'system']],
  })
  return (
    <li>
      <span className="row">
        <strong>{name}</strong>
        <StateBadge state={enabled ? 'enabled' : 'disabled'} tone={enabled ? 'good' : 'idle'} />
      </span>
      <p>
        <code>{agentId}</code>
      </p>
      {enabled ? (
        <ConfirmButton
          small
          tone="plain"
          pending={change.pending}
          question={`Disable ${name}?`}
          consequence={<p>It can no longer be started in this installation. Its active runs continue.</p>}
          confirm="Disable"
          aria-label={`Disable ${name}`}
          onConfirm={() => change.run(false)}
        >
          Disable
        </ConfirmButton>
      ) : (
        <Button small pending={change.pending} aria-label={`Enable ${name}`} onClick={() => change.run(true)}>
          Enable
        </Button>
      )}
    </li>
  )
}
