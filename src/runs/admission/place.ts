/** Where an Agent is to work. It is looked at only when work has been refused, to say why. */
import type { Store } from '../../../storage/store.ts'
import { findAgentStatus, findEnvironmentState, findProjectStatus } from '../../../storage/tenancy/tree.ts'
import { notFound } from '../../platform/http/answers/errors.ts'

export interface AgentPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

/** Whether its Project is paused. Throws `notFound` when anything of it is not there, or about to go. */
export async function isPaused(
  store: Store,
  { organizationId, projectId, environmentId, agentId }: AgentPlace,
): Promise<boolean> {
  const [project, environment, agent] = await Promise.all([
    store.first(findProjectStatus(store, { organizationId, projectId })),
    store.first(findEnvironmentState(store, { projectId, environmentId })),
    store.first(findAgentStatus(store, { projectId, agentId })),
  ])
  const isGone = !project || !environment || !agent
  if (isGone || [project.status, environment.state, agent.status].includes('deleting')) throw notFound()
  return project.status === 'paused'
}
