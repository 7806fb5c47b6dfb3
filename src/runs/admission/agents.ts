/** Which agent a run is to be of, and in which revision: fixed at admission. Source: requirement 4.14; contract 5. */
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import { invalid, notFound } from '../../platform/http/answers/errors.ts'
import { isWithinScope, type Place } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { AgentContent } from '../runner/protocol/protocol.ts'
import type { TeamMember } from './bindings.ts'

export interface ResolvedAgent extends Place {
  agentId: string
  agentRevisionId: string
  name: string
  content: AgentContent
  deploymentId: string | null
  /** How the Environment has set the agent's model. */
  setting?: BundledAgent['setting']
  /** Everybody within the server whom the work may be handed to. */
  team?: readonly TeamMember[]
}

export interface AgentResolver {
  /**
   * The agent that the caller may run. Throws `notFound` for an unknown or unreachable one, 422 for an Environment that
   * does not go with the agent, and the conflicts of an agent that is not deployed.
   */
  resolve(caller: Caller, agentId: string, environmentId?: string): ResolvedAgent | Promise<ResolvedAgent>
  /**
   * What was resolved did not hold until it was stored. Throws why the agent cannot be run; returns when it can, and has
   * to be resolved again.
   */
  reconsider?(caller: Caller, agentId: string, environmentId?: string): Promise<void>
}

/** What is needed of the System Agents. */
export interface SystemAgentFinder {
  find(agentId: string): { agentId: string; agentRevisionId: string; name: string; content: AgentContent } | undefined
}

/** System Agents: without Project, Environment and Deployment. Whatever else is asked for is left to `others`. */
export const agentResolver = (systemAgents: SystemAgentFinder, others: AgentResolver): AgentResolver => ({
  resolve(caller, agentId, environmentId) {
    const agent = systemAgents.find(agentId)
    if (!agent) return others.resolve(caller, agentId, environmentId)
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
    if (!isWithinScope(caller, 'agent-runs:create', resolved)) throw notFound()
    if (environmentId !== undefined) {
      throw invalid([{ path: '/body/environmentId', message: 'A System Agent runs in no Environment.' }])
    }
    return resolved
  },
  async reconsider(caller, agentId, environmentId) {
    // nothing but the removal of the organization stands in the way of a System Agent
    if (systemAgents.find(agentId)) throw notFound()
    await others.reconsider?.(caller, agentId, environmentId)
  },
})

/** System Agents alone. */
export const systemAgentResolver = (systemAgents: SystemAgentFinder): AgentResolver =>
  agentResolver(systemAgents, {
    resolve() {
      throw notFound()
    },
  })
