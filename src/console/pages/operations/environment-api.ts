/** The part of the API that is below the Environment in the address. */
import { useApi } from '../../data/context.ts'
import { useIds } from '../../use-place.ts'

/**
 *     const { environmentId, environment } = useEnvironmentApi()
 *     useResource(['jobs', environmentId], (options) => environment()['agent-jobs'].get(options))
 */
export function useEnvironmentApi() {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const environment = () => api.v1.projects({ projectId }).environments({ environmentId })
  return { api, projectId, environmentId, environment }
}
