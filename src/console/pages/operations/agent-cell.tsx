/** Agent name in a table cell, on one line. */
import { AgentName } from '../runs/list/names.tsx'

export const AgentCell = (agent: { projectId: string; agentId: string }) => (
  <span className="ellipsis agent-cell">
    <AgentName {...agent} />
  </span>
)
