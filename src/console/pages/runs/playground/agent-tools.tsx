/** The tools of a deployed Agent; an operation among them can be called alone. */
import { useState } from 'react'
import type { AgentTool } from '../../../../authoring/agents/content.ts'
import { sent } from '../../../api/client.ts'
import { useAccess } from '../../../data/context.ts'
import { once } from '../../../data/queries.ts'
import { useReading } from '../../../data/resource.ts'
import { at, type Place } from '../../../places.ts'
import { Tag } from '../../../ui/badge.tsx'
import { Button, LinkButton } from '../../../ui/forms/button.tsx'
import { useIds } from '../../../use-place.ts'
import { type DeployedAgent, useDeployed } from '../../operations/deployed.ts'
import { Invoke } from '../../operations/invoke.tsx'

const aboutTool = (tool: AgentTool): string => {
  if (tool.kind === 'operation') return `calls ${tool.operation}`
  return tool.kind === 'interactive' ? tool.description : 'built-in tool'
}

/** Nothing for an Agent without tools. */
export function AgentTools({ agentId, place }: { agentId: string; place: Place }) {
  const deployed = useDeployed().value
  const agent = deployed?.agents.find(({ id }) => id === agentId)
  return agent ? <ToolsOf agent={agent} place={place} /> : null
}

function ToolsOf({ agent: { id: agentId, revisionId }, place }: { agent: DeployedAgent; place: Place }) {
  const { api, queries } = useAccess()
  const { projectId } = useIds('projectId')
  const [calling, setCalling] = useState<string>()
  const [called, setCalled] = useState<string>()
  const read = async () =>
    (await sent(api.v1.projects({ projectId }).agents({ agentId }).revisions({ revisionId }).get())).data.content
      .tools ?? []
  const tools = useReading(['tools', revisionId], () => once(queries, `tools ${revisionId}`, read)).value ?? []
  if (tools.length === 0) return null
  return (
    <details className="surface">
      <summary>Tools ({tools.length})</summary>
      <ul className="revision-list" aria-label="Tools">
        {tools.map((tool) => (
          <li key={tool.name}>
            <span className="row">
              <code>{tool.name}</code>
              <Tag>{tool.kind}</Tag>
              {tool.kind === 'operation' && (
                <Button icon="bolt" onClick={() => setCalling(tool.operation)}>
                  Call {tool.name}
                </Button>
              )}
            </span>
            <p>{aboutTool(tool)}</p>
          </li>
        ))}
      </ul>
      {called && <LinkButton href={`${at(place, 'invocations')}?invocation=${called}`}>View the call</LinkButton>}
      {calling && (
        <Invoke
          only={{ agentId, operation: calling }}
          onClose={() => setCalling(undefined)}
          onInvoked={(id) => {
            setCalling(undefined)
            setCalled(id)
          }}
        />
      )}
    </details>
  )
}
