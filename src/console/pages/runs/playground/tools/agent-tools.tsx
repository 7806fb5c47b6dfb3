/** The tools of a deployed Agent; each can be called by itself. */
import { useState } from 'react'
import type { DeployedTool } from '../../../../../automation/tools/schema.ts'
import { sent } from '../../../../api/client.ts'
import { useReading } from '../../../../data/resource.ts'
import { at, type Place } from '../../../../places.ts'
import { Tag } from '../../../../ui/badge.tsx'
import { Button, LinkButton } from '../../../../ui/forms/button.tsx'
import { Loading } from '../../../../ui/states.tsx'
import { useEnvironment } from '../../../../use-environment.ts'
import { useDeployed } from '../../../operations/deployed.ts'
import { Invoke } from '../../../operations/invoke.tsx'
import { CallTool } from './call-tool.tsx'
import './tools.css'

interface AgentToolsProps {
  agentId: string
  place: Place
  /** Whether the list is expanded. */
  open?: boolean
}

/** Renders nothing for an Agent that is not deployed or has no tools. */
export function AgentTools({ agentId, place, open = false }: AgentToolsProps) {
  const { value: deployed, loading } = useDeployed()
  const isDeployed = deployed?.agents.some(({ id }) => id === agentId)
  if (loading) return <Loading rows={1} />
  return isDeployed && deployed?.deploymentId ? (
    <ToolsOf key={agentId} agentId={agentId} deploymentId={deployed.deploymentId} place={place} open={open} />
  ) : null
}

interface ToolsOfProps extends Required<AgentToolsProps> {
  deploymentId: string
}

function ToolsOf({ agentId, deploymentId, place, open }: ToolsOfProps) {
  const { environment } = useEnvironment()
  const [calling, setCalling] = useState<DeployedTool>()
  const [called, setCalled] = useState<string>()
  const read = async () => (await sent(environment.agents({ agentId }).tools.get())).data.items
  const { value: tools = [], loading } = useReading(['tools', deploymentId, agentId], read)
  if (loading) return <Loading rows={1} />
  if (tools.length === 0) return null
  const close = () => setCalling(undefined)
  const list = (
    <>
      <ul className="tool-list" aria-label="Tools">
        {tools.map((tool) => (
          <li key={tool.name}>
            <span className="row">
              <code>{tool.name}</code>
              <Tag>{tool.kind}</Tag>
            </span>
            <p>{tool.description}</p>
            <Button
              needs="agents:invoke-operation"
              small
              icon="bolt"
              aria-label={`Call ${tool.name}`}
              onClick={() => setCalling(tool)}
            >
              Call
            </Button>
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
    </>
  )
  if (open) return <div className="surface tools">{list}</div>
  return (
    <details className="surface tools">
      <summary>Tools ({tools.length})</summary>
      {list}
    </details>
  )
}
