/** The name of an Agent where there is little room: on one line, cut where it is long. */
import { AgentName } from '../runs/list/names.tsx'

export const AgentCell = (agent: { projectId: string; agentId: string }) => (
  <span className="agent-cell">
    <AgentName {...agent} />
  </span>
)
