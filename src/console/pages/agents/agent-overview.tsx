/** Overview of an Agent: Environments, latest runs, tools and latest revision. */
import type { Agent, AgentRevision } from '../../../authoring/agents/schema.ts'
import { LatestRuns } from './latest-runs.tsx'
import { Instructions, RevisionParts } from './revision-view.tsx'
import { ServesIn, useServing } from './serves-in.tsx'
import { TryTools } from './try-tools.tsx'
import './agents.css'

export function AgentOverview({ agent, revision }: { agent: Agent; revision: AgentRevision }) {
  const { id: agentId, projectId } = agent
  const serving = useServing(projectId, agentId)
  // where the latest revision is active, its tools are listed to be tried
  const isActive = serving.value?.some((each) => each.revision === revision.number) === true
  return (
    <div className="revision">
      <div className="stack agent-main">
        <Instructions text={revision.content.instructions} />
        <ServesIn agentId={agentId} serving={serving} latest={revision.number} />
        <LatestRuns projectId={projectId} agentId={agentId} />
        <TryTools agentId={agentId} serving={serving.value ?? []} />
      </div>
      <RevisionParts revision={revision} withoutTools={isActive} />
    </div>
  )
}
