import { useApi } from './data/context.ts'
import { useIds } from './use-place.ts'

/**
 * The Environment in the address and its part of the API:
 *
 *     const { environmentId, environment } = useEnvironment()
 *     useResource(['jobs', environmentId], (options) => environment['agent-jobs'].get(options))
 */
export function useEnvironment() {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  return { api, projectId, environmentId, environment: api.v1.projects({ projectId }).environments({ environmentId }) }
}
