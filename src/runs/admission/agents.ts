/** Resolves the agent and the revision of a run, which are fixed at admission. Source: requirement 4.14; contract 5. */
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
  /** The Environment's model setting for the agent. */
  setting?: BundledAgent['setting']
  /** The agent's delegates that this server runs. */
  team?: readonly TeamMember[]
}

export interface AgentResolver {
  /**
   * The agent that the caller may run. Throws `notFound` for an unknown or unreachable agent, 422 for an Environment
   * that does not match the agent, and a conflict for an agent that is not deployed. `deploymentId`: the run is part of
   * work on that Deployment of the Environment; omitted: it starts in the active one, unless the Project is paused.
   */
  resolve(
    caller: Caller,
    agentId: string,
    environmentId?: string,
    deploymentId?: string,
  ): ResolvedAgent | Promise<ResolvedAgent>
  /**
   * Called when the resolved agent was out of date before the run was stored. Throws the reason why the agent cannot
   * run; returns when it can run and must be resolved again.
   */
  reconsider?(caller: Caller, agentId: string, environmentId?: string, deploymentId?: string): Promise<void>
  /**
   * Throws unless an ended run of the agent may continue: `notFound` for an agent that no longer exists or is disabled,
   * and `project_paused` (409).
   */
  assertAdmits?(caller: Caller, agentId: string, environmentId?: string): Promise<void>
}

type SystemAgent = Pick<ResolvedAgent, 'agentId' | 'agentRevisionId' | 'name' | 'content'>

export interface SystemAgentFinder {
  find(agentId: string): SystemAgent | undefined
  /**
   * Reads a System Agent that was not found from the store, because another server may have enabled it; undefined: no
   * other servers.
   */
  findAgain?(agentId: string): Promise<SystemAgent | undefined> | undefined
}

function resolved(caller: Caller, agent: SystemAgent, environmentId: string | undefined): ResolvedAgent {
  const { agentId, agentRevisionId, name, content } = agent
  const place = { projectId: null, environmentId: null, deploymentId: null }
  if (!isWithinScope(caller, 'agent-runs:create', { ...place, agentId })) throw notFound()
  if (environmentId !== undefined) {
    throw invalid([
      { path: '/body/environmentId', message: 'A System Agent does not run in an Environment. Omit environmentId.' },
    ])
  }
  return { agentId, agentRevisionId, name, content, ...place }
}

/** Resolves System Agents, which have no Project, Environment or Deployment, and passes the rest to `others`. */
export const agentResolver = (systemAgents: SystemAgentFinder, others: AgentResolver): AgentResolver => ({
  resolve(caller, agentId, environmentId, deploymentId) {
    const agent = systemAgents.find(agentId)
    if (agent) return resolved(caller, agent, environmentId)
    const again = systemAgents.findAgain?.(agentId)
    const resolve = () => others.resolve(caller, agentId, environmentId, deploymentId)
    if (!again) return resolve()
    return again.then((found) => (found ? resolved(caller, found, environmentId) : resolve()))
  },
  async reconsider(caller, agentId, environmentId, deploymentId) {
    // only the deletion of the organization can prevent a System Agent from running
    if (systemAgents.find(agentId)) throw notFound()
    await others.reconsider?.(caller, agentId, environmentId, deploymentId)
  },
  async assertAdmits(caller, agentId, environmentId) {
    if (systemAgents.find(agentId) ?? (await systemAgents.findAgain?.(agentId))) return
    if (environmentId === undefined) throw notFound()
    await others.assertAdmits?.(caller, agentId, environmentId)
  },
})

/** Resolves System Agents only. */
export const systemAgentResolver = (systemAgents: SystemAgentFinder): AgentResolver =>
  agentResolver(systemAgents, {
    resolve() {
      throw notFound()
    },
  })
