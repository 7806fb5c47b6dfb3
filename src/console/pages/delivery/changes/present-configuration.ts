/** Current configuration of an Environment: metadata only, no values or secrets. */
import { useApi } from '../../../data/context.ts'
import { useReading } from '../../../data/resource.ts'
import { wholeList } from '../../../data/whole-list.ts'
import { useParts } from '../parts.ts'

export function usePresentConfiguration(projectId: string, environmentId: string) {
  const api = useApi()
  const parts = useParts(projectId)
  const environment = api.v1.projects({ projectId }).environments({ environmentId })
  const variables = useReading(['variables', environmentId], ({ fetch }) =>
    wholeList((query) => environment.variables.get({ query, fetch })),
  )
  const connections = useReading(['connections', environmentId], ({ fetch }) =>
    wholeList((query) => environment.connections.get({ query, fetch })),
  )
  const agents = parts.value?.agents
  const settings = useReading(
    agents ? ['provider-settings', environmentId, ...agents.map(({ id }) => id)] : null,
    ({ fetch }) =>
      Promise.all(
        (agents ?? []).map(({ id: agentId }) =>
          wholeList((query) => environment.agents({ agentId })['provider-settings'].get({ query, fetch })),
        ),
      ).then((lists) => lists.flat()),
  )
  return { parts, variables, connections, settings }
}

export type PresentConfiguration = ReturnType<typeof usePresentConfiguration>
