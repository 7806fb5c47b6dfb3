/** The Agent in the Environment's active Deployment. Source: contract 5, 6, "Precise points". */
import type { EnvironmentContext } from '../../../../machines/environment.ts'
import { DamagedRecord } from '../../../../storage/errors.ts'
import type { Store } from '../../../../storage/store.ts'
import type { EnvironmentRow } from '../../../../storage/tables.ts'
import { findAgentStatus, findProjectStatus } from '../../../../storage/tenancy/tree.ts'
import type { BundledAgent } from '../../../delivery/deployments/bundle.ts'
import type { Bundles, DeployedBundle } from '../../../delivery/deployments/bundles.ts'
import { agentNotDeployed, noActiveDeployment, notFound, projectPaused } from '../../../platform/http/answers/errors.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { environmentAddress } from '../../../tenancy/environments/actor.ts'

export interface DeployedParts {
  store: Store
  actors: Actors
  bundles: Bundles
}

interface AgentPlace {
  projectId: string
  environmentId: string
  agentId: string
}

/** Throws `notFound`; `project_paused`, `no_active_deployment`, `agent_not_deployed` (409). */
export async function deployedAgent(
  { store, actors, bundles }: DeployedParts,
  organizationId: string,
  { projectId, environmentId, agentId }: AgentPlace,
): Promise<{ bundle: DeployedBundle; agent: BundledAgent }> {
  const [project, agentStatus, environment] = await Promise.all([
    store.first(findProjectStatus(store, { organizationId, id: projectId })),
    store.first(findAgentStatus(store, { projectId, id: agentId })),
    actors.read<EnvironmentRow, EnvironmentContext>(environmentAddress(environmentId)),
  ])
  const isThere = project && environment && environment.row.project_id === projectId
  if (!isThere || project.status === 'deleting' || agentStatus?.status === 'deleting') throw notFound()
  if (project.status === 'paused') throw projectPaused()
  const { active_deployment_id: deploymentId } = environment.row
  if (deploymentId === null) throw noActiveDeployment()
  const bundle = await bundles.find(deploymentId)
  if (!bundle) throw new DamagedRecord(`The active Deployment ${deploymentId} has no bundle.`)
  const agent = bundle.agent(agentId)
  if (!agent) throw agentNotDeployed()
  return { bundle, agent }
}
