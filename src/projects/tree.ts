/** An organization's tree, as the door asks for it. */
import type { Store } from '../../storage/store.ts'
import {
  findAgentStatus,
  findEnvironmentState,
  findOrganizationOfProject,
  findProjectStatus,
} from '../../storage/tree.ts'
import type { Tree } from '../http/admission.ts'

export const treeIn = (store: Store): Tree => ({
  async project(organizationId, projectId) {
    const found = await store.first(findProjectStatus(store, { organizationId, projectId }))
    return found && { deleting: found.status === 'deleting' }
  },
  async environment(projectId, environmentId) {
    const found = await store.first(findEnvironmentState(store, { projectId, environmentId }))
    return found && { deleting: found.state === 'deleting' }
  },
  async agent(projectId, agentId) {
    const found = await store.first(findAgentStatus(store, { projectId, agentId }))
    return found && { deleting: found.status === 'deleting' }
  },
  async organizationOf(projectId) {
    return (await store.first(findOrganizationOfProject(store, { projectId })))?.organization_id
  },
})
