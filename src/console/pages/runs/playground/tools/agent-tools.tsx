/** The tools of a deployed Agent, each of which can be called alone. */
import { useState } from 'react'
import type { DeployedTool } from '../../../../../automation/tools/schema.ts'
import { sent } from '../../../../api/client.ts'
import { useReading } from '../../../../data/resource.ts'
import { at, type Place } from '../../../../places.ts'
import { Tag } from '../../../../ui/badge.tsx'
import { Button, LinkButton } from '../../../../ui/forms/button.tsx'
import { useEnvironment } from '../../../../use-environment.ts'
import { useDeployed } from '../../../operations/deployed.ts'
import { Invoke } from '../../../operations/invoke.tsx'
import { CallTool } from './call-tool.tsx'

/** Nothing for an Agent that is not deployed, or has no tools. */
export function AgentTools({ agentId, place }: { agentId: string; place: Place }) {
  const deployed = useDeployed().value
  const isDeployed = deployed?.agents.some(({ id }) => id === agentId)
  return isDeployed && deployed?.deploymentId ? (
    <ToolsOf key={agentId} agentId={agentId} deploymentId={deployed.deploymentId} place={place} />
  ) : null
}

interface ToolsOfProps {
  agentId: string
  deploymentId: string
  place: Place
}

function ToolsOf({ agentId, deploymentId, place }: ToolsOfProps) {
  const { environment } = useEnvironment()
  const [calling, setCalling] = useState<DeployedTool>()
  const [called, setCalled] = useState<string>()
  const read = async () => (await sent(environment.agents({ agentId }).tools.get())).data.items
  const tools = useReading(['tools', deploymentId, agentId], read).value ?? []
  if (tools.length === 0) return null
  const close = () => setCalling(undefined)
  return (
    <details className="surface">
      <summary>Tools ({tools.length})</summary>
      <ul className="revision-list" aria-label="Tools">
        {tools.map((tool) => (
          <li key={tool.name}>
            <span className="row">
              <code>{tool.name}</code>
              <Tag>{tool.kind}</Tag>
              <Button icon="bolt" onClick={() => setCalling(tool)}>
                Call {tool.name}
              </Button>
            </span>
            <p>{tool.description}</p>
          </li>
        ))}
      </ul>
      {called && <LinkButton href={`${at(place, 'invocations')}?invocation=${called}`}>View the call</LinkButton>}
      {calling?.operation && (
        <Invoke
          only={{ agentId, operation: calling.operation }}
          onClose={close}
          onInvoked={(id) => {
            close()
            setCalled(id)
          }}
        />
      )}
      {calling && !calling.operation && <CallTool agentId={agentId} tool={calling} onClose={close} />}
    </details>
  )
}
