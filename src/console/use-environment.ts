/** The Environment in the address, and the part of the API that is below it. */
import { useApi } from './data/context.ts'
import { useIds } from './use-place.ts'

/**
 *     const { environmentId, environment } = useEnvironment()
 *     useResource(['jobs', environmentId], (options) => environment['agent-jobs'].get(options))
 */
export function useEnvironment() {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  return { api, projectId, environmentId, environment: api.v1.projects({ projectId }).environments({ environmentId }) }
}
