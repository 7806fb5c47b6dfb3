/** The agents of an attempt: the run's own, and its delegates at all levels. */
import { agentText } from '../../records/step-columns.ts'
import type { AgentContent, AssignedAgent, ModelBinding, OperationTool } from '../../runner/protocol/protocol.ts'

export interface AgentOfAttempt {
  name: string
  /** The agent's id, revision and name, as stored in its steps. */
  shown: string
  operations: Record<string, OperationTool>
  content: AgentContent
  /** The model that prices its model steps. */
  model: Pick<ModelBinding, 'provider' | 'model'>
}

/** Agents by id. */
export type AgentsOfAttempt = ReadonlyMap<string, AgentOfAttempt>

type Listed = Pick<
  AssignedAgent,
  'agentId' | 'agentRevisionId' | 'name' | 'content' | 'model' | 'operations' | 'delegates'
>

/** An agent and its delegates at all levels. */
export function agentsOf(agent: Listed, roster = new Map<string, AgentOfAttempt>()): AgentsOfAttempt {
  const { agentId, agentRevisionId, name, content, model, operations, delegates } = agent
  // A Release has one revision of each agent.
  if (roster.has(agentId)) return roster
  roster.set(agentId, { name, shown: agentText({ agentId, agentRevisionId, name }), operations, content, model })
  for (const delegate of Object.values(delegates)) agentsOf(delegate, roster)
  return roster
}
