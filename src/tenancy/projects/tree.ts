/** An organization's tree for the guard. */
import { findRun } from '../../../storage/runs/run-lists.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import {
  findAgentStatus,
  findEnvironmentState,
  findOrganizationOfProject,
  findPlaceStatus,
  findProjectStatus,
} from '../../../storage/tenancy/tree.ts'
import type { Scope } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'

/** The place of a run. */
const placeOf = ({ project_id, environment_id, agent_id }: RunRow): Scope => ({
  projectId: project_id,
  environmentId: environment_id,
  agentId: agent_id,
})

export const treeIn = (store: Store): Tree => ({
  async project(organizationId, projectId) {
    const found = await store.first(findProjectStatus(store, { organizationId, id: projectId }))
    return found && { deleting: found.status === 'deleting' }
  },
  async environment(projectId, environmentId) {
    const found = await store.first(findEnvironmentState(store, { projectId, id: environmentId }))
    return found && { deleting: found.state === 'deleting' }
  },
  async place(organizationId, projectId, environmentId) {
    const found = await store.first(findPlaceStatus(store, { organizationId, projectId, environmentId }))
    if (!found) return undefined
    const { project, environment } = found
    return {
      project: { deleting: project === 'deleting' },
      environment: environment === null ? undefined : { deleting: environment === 'deleting' },
    }
  },
  async agent(projectId, agentId) {
    const found = await store.first(findAgentStatus(store, { projectId, id: agentId }))
    return found && { deleting: found.status === 'deleting' }
  },
  async organizationOf(projectId) {
    return (await store.first(findOrganizationOfProject(store, { id: projectId })))?.organization_id
  },
  async run(organizationId, id) {
    const found = await store.first<RunRow>(findRun(store, { organizationId, id }))
    return found && placeOf(found)
  },
})
