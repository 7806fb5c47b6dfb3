/** The Project and Environment of a refused start, read only to explain the refusal. */
import type { Store } from '../../../storage/store.ts'
import { findAgentStatus, findEnvironmentState, findProjectStatus } from '../../../storage/tenancy/tree.ts'
import { notFound } from '../../platform/http/answers/errors.ts'

export interface AgentPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

/** Whether the Project is paused. Throws `notFound` if any part of the place is missing or being deleted. */
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
