/** A Project with an Environment, Agents and provider credentials; Deployments and snapshots are put into the store. */

import type { SQLQueryBindings } from 'bun:sqlite'
import { newId } from '../../../storage/ids.ts'
import { openWorld as openTenancy } from '../../support/world/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a test reads out of JSON is checked by the test and by the document
type Loose = any

export const httpSettings = { baseUrl: 'https://api.example.com/v1' }

/** What stands in for secrets, so that it can be searched for. */
export const secretText = 'sk-this-must-be-nowhere'

export async function openWorld() {
  const tenancy = await openTenancy()
  const { owner, clock, ours, rows } = tenancy
  const project = await tenancy.project()
  const [environmentId, otherEnvironmentId] = project.environments
  const credentialsPath = `/api/v1/organizations/${ours}/provider-credentials`
  let count = 0

  const insert = (table: string, row: Record<string, SQLQueryBindings>) =>
    rows(
      `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map(() => '?')})`,
      ...Object.values(row),
    )
  const made = async (answer: Promise<{ status: number; body: Loose }>): Promise<Loose> => {
    const { status, body } = await answer
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body.data
  }
  const path = `${project.path}/environments/${environmentId}`

  return {
    ...tenancy,
    project,
    newProject: tenancy.project,
    environmentId,
    path,
    otherPath: `${project.path}/environments/${otherEnvironmentId}`,
    connectionsPath: `${path}/connections`,
    credentialsPath,

    async agent(projectPath = project.path): Promise<string> {
      count += 1
      return (await made(owner.post(`${projectPath}/agents`, { slug: `agent-${count}`, name: 'Agent' }))).id
    },

    /** A credential with version 1, of our organization unless said otherwise. */
    async credential(body: object = {}, { client = owner, organizationId = ours } = {}): Promise<string> {
      const wanted = { label: 'Key', provider: 'openai', credentialType: 'api_key', secret: secretText, ...body }
      return (await made(client.post(`/api/v1/organizations/${organizationId}/provider-credentials`, wanted))).id
    },

    /** A Connection of kind http with a name of its own. */
    async connection(body: object = {}, at = `${path}/connections`): Promise<Loose> {
      count += 1
      return made(owner.post(at, { name: `connection-${count}`, kind: 'http', settings: httpSettings, ...body }))
    },

    /** Every version of a Connection, oldest first. */
    versions: (connectionId: string) =>
      rows<{ number: number; settings: string; credential: string | null; version: number | null }>(
        `select number, settings, provider_credential_id as credential, provider_credential_version as version
         from connection_versions where connection_id = ? order by number`,
        connectionId,
      ),

    /** A Configuration Revision that holds these Connections. */
    snapshot(connectionIds: readonly string[], inEnvironment = environmentId): string {
      const id = newId('cfr')
      count += 1
      insert('configuration_revisions', {
        id,
        organization_id: ours,
        environment_id: inEnvironment,
        number: 1000 + count,
        content: JSON.stringify({
          connections: connectionIds.map((connectionId) => ({ connectionId, connectionVersionId: newId('cnv') })),
          providerSettings: [],
          variables: [],
        }),
        digest: 'sha256:0',
        created_by_type: 'user',
        created_by_id: tenancy.ownerId,
        created_at: clock.now(),
      })
      return id
    },

    /** Activates a Deployment with this bundle in the Environment. */
    activate(bundle: object, inEnvironment: string): void {
      const id = newId('dep')
      insert('deployments', {
        id,
        organization_id: ours,
        project_id: project.id,
        environment_id: inEnvironment,
        release_id: newId('rel'),
        configuration_revision_id: newId('cfr'),
        state: 'ready',
        version: 1,
        machine_version: '1',
        context: '{}',
        created_by_type: 'user',
        created_by_id: tenancy.ownerId,
        created_at: clock.now(),
        updated_at: clock.now(),
      })
      insert('deployment_bundles', {
        deployment_id: id,
        bundle: JSON.stringify(bundle),
        digest: 'sha256:0',
        created_at: clock.now(),
      })
      rows('update environments set active_deployment_id = ? where id = ?', id, inEnvironment)
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
