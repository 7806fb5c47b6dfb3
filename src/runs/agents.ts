/** Which agent a run is to be of, and in which revision: fixed at admission. Source: requirement 4.14; contract 5. */
import type { Caller } from '../http/caller.ts'
import { invalid, notFound } from '../http/errors.ts'
import { type Place, reaches } from '../http/reach.ts'
import type { AgentContent } from '../runner/protocol.ts'

export interface ResolvedAgent extends Place {
  agentId: string
  agentRevisionId: string
  name: string
  content: AgentContent
  deploymentId: string | null
}

export interface AgentResolver {
  /**
   * The agent that the caller may run. Throws `notFound` for an unknown or unreachable one, 422 for an Environment that
   * does not go with the agent, and the conflicts of an agent that is not deployed.
   */
  resolve(caller: Caller, agentId: string, environmentId?: string): ResolvedAgent | Promise<ResolvedAgent>
}

/** What is needed of the System Agents. */
export interface SystemAgentFinder {
  find(agentId: string): { agentId: string; agentRevisionId: string; name: string; content: AgentContent } | undefined
}

/** System Agents: without Project, Environment and Deployment. */
export const systemAgentResolver = (systemAgents: SystemAgentFinder): AgentResolver => ({
  resolve(caller, agentId, environmentId) {
    const agent = systemAgents.find(agentId)
    if (!agent) throw notFound()
    const { agentRevisionId, name, content } = agent
    const resolved = {
      agentId,
      agentRevisionId,
      name,
      content,
      projectId: null,
      environmentId: null,
      deploymentId: null,
    }
    if (!reaches(caller, 'agent-runs:create', resolved)) throw notFound()
    if (environmentId !== undefined) {
      throw invalid([{ path: '/body/environmentId', message: 'A System Agent runs in no Environment.' }])
    }
    return resolved
  },
})
