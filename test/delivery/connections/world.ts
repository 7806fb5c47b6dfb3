/**
 * A Project with an Environment, Agents and provider credentials; Deployments and snapshots are written to the store.
 */

import { digestOfText } from '../../../src/platform/http/digest.ts'
import { newId } from '../../../storage/ids.ts'
import { data, type Loose } from '../../support/world/replies.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export const httpSettings = { baseUrl: 'https://api.example.com/v1' }

/** Placeholders for secrets, which tests search for. */
export const secretText = 'sk-this-must-be-nowhere'

export async function openWorld() {
  const world = await openServer()
  const { owner, clock, ours, rows } = world
  const project = await world.project()
  const [environmentId, otherEnvironmentId] = project.environments
  const credentialsPath = `/api/v1/organizations/${ours}/provider-credentials`
  let count = 0

  const path = `${project.path}/environments/${environmentId}`

  return {
    ...world,
    project,
    newProject: world.project,
    environmentId,
    path,
    otherPath: `${project.path}/environments/${otherEnvironmentId}`,
    connectionsPath: `${path}/connections`,
    credentialsPath,

    async agent(projectPath = project.path): Promise<string> {
      count += 1
      return (await data(owner.post(`${projectPath}/agents`, { slug: `agent-${count}`, name: 'Agent' }))).id
    },

    /** A credential with version 1, of our organization by default. */
    async credential(body: object = {}, { client = owner, organizationId = ours } = {}): Promise<string> {
      const wanted = { label: 'Key', provider: 'openai', credentialType: 'api_key', secret: secretText, ...body }
      return (await data(client.post(`/api/v1/organizations/${organizationId}/provider-credentials`, wanted))).id
    },

    /** A Connection of kind http with a unique name. */
    async connection(body: object = {}, at = `${path}/connections`): Promise<Loose> {
      count += 1
      return data(owner.post(at, { name: `connection-${count}`, kind: 'http', settings: httpSettings, ...body }))
    },

    /** Every version of a Connection, oldest first. */
    versions: (connectionId: string) =>
      rows<{ number: number; settings: string; credential: string | null; version: number | null }>(
        `select number, settings, provider_credential_id as credential, provider_credential_version as version
         from connection_versions where connection_id = ? order by number`,
        connectionId,
      ),

    /** A Configuration Revision with these Connections. */
    snapshot(connectionIds: readonly string[], inEnvironment = environmentId): string {
      const id = newId('cfr')
      count += 1
      world.tenancy.insert('configuration_revisions', {
        id,
        organization_id: ours,
        environment_id: inEnvironment,
        number: 1000 + count,
        parent_id: null,
        description: null,
        content: JSON.stringify({
          connections: connectionIds.map((connectionId) => ({ connectionId, connectionVersionId: newId('cnv') })),
          providerSettings: [],
          variables: [],
        }),
        digest: 'sha256:0',
        created_by_type: 'user',
        created_by_id: world.ownerId,
        created_at: clock.now(),
      })
      return id
    },

    /** Activates a Deployment with this bundle in the Environment. */
    activate(bundle: object, inEnvironment: string): void {
      const id = newId('dep')
      world.tenancy.insert('deployments', {
        id,
        organization_id: ours,
        project_id: project.id,
        environment_id: inEnvironment,
        release_id: newId('rel'),
        configuration_revision_id: newId('cfr'),
        credentials: 'pinned',
        digest: null,
        ready_at: null,
        state: 'ready',
        version: 1,
        machine_version: '1',
        context: '{}',
        created_by_type: 'user',
        created_by_id: world.ownerId,
        created_at: clock.now(),
        updated_at: clock.now(),
      })
      const text = JSON.stringify({ definitions: [], variables: [], ...bundle })
      world.tenancy.insert('deployment_bundles', {
        deployment_id: id,
        bundle: text,
        digest: digestOfText(text),
        created_at: clock.now(),
      })
      rows('update environments set active_deployment_id = ? where id = ?', id, inEnvironment)
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
