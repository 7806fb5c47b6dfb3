/** The Project and Environment of a refused start, read only to explain the refusal. */
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { findAgentStatus, findEnvironmentState, findProjectStatus } from '../../../storage/tenancy/tree.ts'
import { type ApiError, notFound, projectPaused } from '../../platform/http/answers/errors.ts'

export interface AgentPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

async function standingProject(
  store: Store,
  { organizationId, projectId, environmentId, agentId }: AgentPlace,
  noAgent: () => ApiError,
) {
  const [project, environment, agent] = await Promise.all([
    store.first(findProjectStatus(store, { organizationId, id: projectId })),
    store.first(findEnvironmentState(store, { projectId, id: environmentId })),
    store.first(findAgentStatus(store, { projectId, id: agentId })),
  ])
  if (!project || !environment || [project.status, environment.state].includes('deleting')) throw notFound()
  if (!agent || agent.status === 'deleting') throw noAgent()
  return project
}

/** Throws `notFound` if the Project, the Environment or the Agent is missing or being deleted. */
export async function assertStanding(store: Store, place: AgentPlace): Promise<void> {
  await standingProject(store, place, notFound)
}

/** Whether the Project is paused. Throws as `assertStanding`; `noAgent` if only the Agent is missing. */
export async function isPaused(store: Store, place: AgentPlace, noAgent: () => ApiError = notFound): Promise<boolean> {
  return (await standingProject(store, place, noAgent)).status === 'paused'
}

/**
 * Throws unless new work may begin where the run is: `notFound` as for `isPaused`, `project_paused` (409). A System
 * Agent has no place that could refuse it.
 */
export async function assertAdmitsIn(
  store: Store,
  {
    organization_id: organizationId,
    project_id: projectId,
    environment_id: environmentId,
    agent_id: agentId,
  }: Pick<RunRow, 'organization_id' | 'project_id' | 'environment_id' | 'agent_id'>,
): Promise<void> {
  if (projectId === null || environmentId === null) return
  if (await isPaused(store, { organizationId, projectId, environmentId, agentId })) throw projectPaused()
}
