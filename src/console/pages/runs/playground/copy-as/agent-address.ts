/** The address of an Agent for clients of other protocols. Source: contract 12. */
import { useApi } from '../../../../data/context.ts'
import { useResource } from '../../../../data/resource.ts'
import type { Place } from '../../../../places.ts'

/** `project/environment/agent`; the id for a System Agent and without permission for the names. Undefined until known. */
export function useAgentAddress(agentId: string, { projectId, environmentId }: Place): string | undefined {
  const api = useApi()
  const isOwn = projectId !== undefined && environmentId !== undefined && !agentId.startsWith('agt_system_')
  const project = useResource(isOwn ? ['projects', projectId] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).get(options),
  )
  const environment = useResource(isOwn ? ['environments', environmentId] : null, (options) =>
    api.v1
      .projects({ projectId: projectId as string })
      .environments({ environmentId: environmentId as string })
      .get(options),
  )
  const agent = useResource(isOwn ? ['agents', projectId, agentId] : null, (options) =>
    api.v1
      .projects({ projectId: projectId as string })
      .agents({ agentId })
      .get(options),
  )
  if (!isOwn || project.failure || environment.failure || agent.failure) return agentId
  if (!project.value || !environment.value || !agent.value) return undefined
  return `${project.value.slug}/${environment.value.kind}/${agent.value.slug}`
}
