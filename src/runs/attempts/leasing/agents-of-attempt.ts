/** Who is at work in an attempt: the run's own agent and its delegates, with theirs. */
import type { AgentContent, AssignedAgent, OperationTool } from '../../runner/protocol/protocol.ts'

export interface AgentOfAttempt {
  name: string
  /** JSON: agent id, revision and name, as steps show them. */
  shown: string
  operations: Record<string, OperationTool>
  content: AgentContent
}

/** By agent id. */
export type AgentsOfAttempt = ReadonlyMap<string, AgentOfAttempt>

type Listed = Pick<AssignedAgent, 'agentId' | 'agentRevisionId' | 'name' | 'content' | 'operations' | 'delegates'>

/** An agent, and everybody below it. */
export function agentsOf(agent: Listed, roster = new Map<string, AgentOfAttempt>()): AgentsOfAttempt {
  const { agentId, agentRevisionId, name, content, operations, delegates } = agent
  // A Release has one revision of each agent.
  if (roster.has(agentId)) return roster
  roster.set(agentId, { name, shown: JSON.stringify({ agentId, agentRevisionId, name }), operations, content })
  for (const delegate of Object.values(delegates)) agentsOf(delegate, roster)
  return roster
}
