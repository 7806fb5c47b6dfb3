/** Shared parts of the tests of secrets: a world, paths in it, and an active Deployment with a given snapshot. */

import { newId } from '../../../storage/ids.ts'
import type { World } from '../../support/world/world.ts'

const ours = '/api/v1/organizations/default'
export const credentialsPath = `${ours}/provider-credentials`
export const organizationVariablesPath = `${ours}/variables`

/** A request for a new credential. */
export const newCredential = (changes: object = {}) => ({
  label: 'Production',
  provider: 'openai',
  credentialType: 'api_key',
  secret: 'sk-hunter2',
  ...changes,
})

/** A new credential of the first organization. */
export async function credentialIn(world: World, changes: object = {}): Promise<{ id: string; path: string }> {
  const { status, body } = await world.owner.post(credentialsPath, newCredential(changes))
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return { id: body.data.id, path: `${credentialsPath}/${body.data.id}` }
}

/** Gives the Environment an active Deployment whose snapshot has these variables, directly in the store. */
export function activate(world: World, environmentId: string, variables: object[]) {
  const at = world.clock.now()
  const [environment] = world.rows<{ organization_id: string; project_id: string }>(
    'select organization_id, project_id from environments where id = ?',
    environmentId,
  )
  const { organization_id, project_id } = environment as { organization_id: string; project_id: string }
  const revision = newId('cfr', at)
  const deployment = newId('dep', at)
  const content = { variables, connections: [], providerSettings: [] }
  world.rows(
    `insert into configuration_revisions (id, organization_id, environment_id, number, content, digest, created_by_type, created_by_id, created_at)
     values (?, ?, ?, (select max(number) + 1 from configuration_revisions where environment_id = ?), ?, '', 'user', '', ?)`,
    revision,
    organization_id,
    environmentId,
    environmentId,
    JSON.stringify(content),
    at,
  )
  world.rows(
    `insert into deployments (id, organization_id, project_id, environment_id, release_id, configuration_revision_id, state, version, machine_version, context, created_by_type, created_by_id, created_at, updated_at)
     values (?, ?, ?, ?, 'rel_1', ?, 'ready', 1, '1', '{}', 'user', '', ?, ?)`,
    deployment,
    organization_id,
    project_id,
    environmentId,
    revision,
    at,
    at,
  )
  world.rows('update environments set active_deployment_id = ? where id = ?', deployment, environmentId)
}

/** Removes the active Deployment. */
export const deactivate = (world: World, environmentId: string) =>
  void world.rows('update environments set active_deployment_id = null where id = ?', environmentId)
