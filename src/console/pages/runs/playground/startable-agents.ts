/** Agents that can be started: those of the active Deployment, or System Agents. */
import type { ApiFailure } from '../../../api/failure.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import type { Place } from '../../../places.ts'
import { useAgentNames } from '../list/names.tsx'

interface StartableAgent {
  id: string
  name: string
}

export interface StartableAgents {
  /** Undefined until loaded. */
  agents: StartableAgent[] | undefined
  /** No active Deployment. */
  nothingActive: boolean
  failure: ApiFailure | undefined
  retry: () => Promise<void>
}

const yes = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined

/** Enabled System Agents. */
export function useSystemAgents(wanted: boolean): StartableAgents {
  const api = useApi()
  const { value, failure, refresh } = useResource(wanted ? ['agents', 'system'] : null, (options) =>
    api.v1['system-agents'].get({ ...options, query: { limit: 100 } }),
  )
  const agents = value?.items.filter(({ enabled }) => enabled)
  return { agents: agents?.map(({ id, name }) => ({ id, name })), nothingActive: false, failure, retry: refresh }
}

/** Agents of the active Release. */
export function useDeployedAgents({ projectId, environmentId }: Place): StartableAgents {
  const api = useApi()
  const project = projectId === undefined ? undefined : api.v1.projects({ projectId })
  const environment = useResource(environmentId ? ['environments', environmentId] : null, (options) =>
    project!.environments({ environmentId: environmentId as string }).get(options),
  )
  const deploymentId = environment.value?.activeDeploymentId
  const deployment = useResource(deploymentId ? ['deployments', deploymentId] : null, (options) =>
    project!
      .environments({ environmentId: environmentId as string })
      .deployments({ deploymentId: deploymentId as string })
      .get(options),
  )
  const releaseId = deployment.value?.releaseId
  const release = useResource(releaseId ? ['releases', releaseId] : null, (options) =>
    project!.releases({ releaseId: releaseId as string }).get(options),
  )
  const names = useAgentNames(projectId)
  const nothingActive = environment.value?.activeDeploymentId === null
  const pins = nothingActive ? [] : release.value?.agents
  return {
    agents: pins?.map(({ agentId }) => ({ id: agentId, name: names.get(agentId) ?? agentId })),
    nothingActive,
    failure: [environment, deployment, release].map(({ failure }) => failure).find(yes),
    retry: async () => {
      await Promise.all([environment, deployment, release].map(({ refresh }) => refresh()))
    },
  }
}

interface Presentation {
  displayName: string
  greeting: string | null
  suggestedQueries: readonly string[]
}

/** Presentation of an Agent; undefined if it has none. */
export function usePresentation(
  agentId: string | undefined,
  { projectId, environmentId }: Place,
): { presentation: Presentation | undefined; loading: boolean } {
  const api = useApi()
  const isSystem = agentId?.startsWith('agt_system_') === true
  const own = useResource(
    agentId && !isSystem && projectId && environmentId ? ['presentations', environmentId, agentId] : null,
    (options) =>
      api.v1
        .projects({ projectId: projectId as string })
        .environments({ environmentId: environmentId as string })
        .agents({ agentId: agentId as string })
        .presentation.get(options),
  )
  const system = useResource(isSystem ? ['agents', 'system', agentId] : null, (options) =>
    api.v1['system-agents']({ agentId: agentId as string }).get(options),
  )
  const loading = own.loading || system.loading
  if (own.value || !system.value) return { presentation: own.value, loading }
  const { name, presentation } = system.value
  return {
    presentation: {
      displayName: presentation?.displayName ?? name,
      greeting: presentation?.greeting ?? null,
      suggestedQueries: presentation?.suggestedQueries ?? [],
    },
    loading,
  }
}
