/** A server with Projects that have something to deploy. */

import { expect } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld as openProjects, type World as ProjectWorld } from '../../support/world/world.ts'

export type World = Awaited<ReturnType<typeof openWorld>>

export interface Pin {
  agentId: string
  agentRevisionId: string
}

const digest = `sha256:${'0'.repeat(64)}`

export async function openWorld() {
  const world = await openProjects()
  let count = 0

  return {
    ...world,

    /** A row written straight into the store. */
    insert(table: string, row: Record<string, string | number | null>): void {
      const places = Object.keys(row).map(() => '?')
      const sql = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`
      world.rows(sql, ...Object.values(row))
    },

    /** An Environment that is active, in a new Project. */
    async place(owner: Client = world.owner, organizationId = world.ours) {
      const project = await world.project(owner)
      const environmentId = project.environments[0]
      const path = `${project.path}/environments/${environmentId}`
      await data(owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
      return { owner, organizationId, project, projectId: project.id, environmentId, path }
    },

    /** An Agent with one revision. */
    async agent(place: Place, content: object = {}, grantedOperations: string[] = []) {
      count += 1
      const path = `${place.project.path}/agents`
      const agent = await data<{ id: string; slug: string }>(
        place.owner.post(path, { slug: `agent-${count}`, name: 'Agent' }),
      )
      const revision = await data<{ id: string }>(
        place.owner.post(`${path}/${agent.id}/revisions`, {
          content: { instructions: 'Help.', ...content },
          grantedOperations,
        }),
      )
      return { agentId: agent.id, agentRevisionId: revision.id, slug: agent.slug, path: `${path}/${agent.id}` }
    },

    async release(place: Place, agents: readonly Pin[], definitions: readonly object[] = []): Promise<string> {
      const pins = agents.map(({ agentId, agentRevisionId }) => ({ agentId, agentRevisionId }))
      const created = place.owner.post(`${place.project.path}/releases`, { agents: pins, definitions })
      return (await data<{ id: string }>(created)).id
    },

    /** A Definition of operations that echo, or do what this says, with one revision, and its pin. */
    async definition(place: Place, name: string, operations: readonly string[], handler: object = { type: 'echo' }) {
      const path = `${place.project.path}/definitions`
      const { id: definitionId } = await data<{ id: string }>(place.owner.post(path, { name, kind: 'operations' }))
      const source = {
        operations: operations.map((operation) => ({
          name: operation,
          description: 'Says the same.',
          inputSchema: { type: 'object' },
          effect: 'read',
          idempotent: true,
          approval: 'never',
          handler,
        })),
      }
      const revision = await data<{ id: string }>(place.owner.post(`${path}/${definitionId}/revisions`, { source }))
      return { pin: { definitionId, definitionRevisionId: revision.id }, source, path: `${path}/${definitionId}` }
    },

    async credential(provider: string, secret = 'hunter2-secret') {
      const label = `Key of ${provider}`
      const created = world.owner.post(`/api/v1/organizations/${world.ours}/provider-credentials`, {
        label,
        provider,
        credentialType: 'api_key',
        secret,
      })
      const { id } = await data<{ id: string }>(created)
      return { id, label, path: `/api/v1/organizations/${world.ours}/provider-credentials/${id}` }
    },

    rotate: (credentialId: string) =>
      data(
        world.owner.post(`/api/v1/organizations/${world.ours}/provider-credentials/${credentialId}/versions`, {
          secret: 'hunter3-secret',
        }),
      ),

    async variable(place: Place, changes: { name?: string; [field: string]: unknown } = {}) {
      count += 1
      const created = place.owner.post(`${place.path}/variables`, {
        name: `VARIABLE_${count}`,
        ...(changes.sourceVariableId === undefined && { value: 'hunter2-value' }),
        ...changes,
      })
      return data<{ id: string; name: string; version: number }>(created)
    },

    async connection(place: Place, changes: { kind?: string; [field: string]: unknown } = {}) {
      count += 1
      const created = place.owner.post(`${place.path}/connections`, {
        name: `Connection ${count}`,
        kind: 'custom',
        settings: {},
        ...changes,
      })
      return data<{ id: string; name: string; currentVersion: { id: string } }>(created)
    },

    async setting(place: Place, agentId: string, setting: object) {
      const created = place.owner.post(`${place.path}/agents/${agentId}/provider-settings`, setting)
      return data<{ settingId: number }>(created)
    },

    /** A Configuration Revision of what the Environment is configured with now. */
    async snapshot(place: Place) {
      const { configurationHead } = (await place.owner.get(place.path)).body.data
      const taken = place.owner.post(`${place.path}/configuration-revisions`, {
        expectedHeadRevisionId: configurationHead.revisionId,
      })
      return data<{ id: string; number: number }>(taken)
    },

    /** A Release of one Agent and an empty Configuration Revision. */
    async prepared(place: Place) {
      const agent = await this.agent(place)
      const body = {
        releaseId: await this.release(place, [agent]),
        configurationRevisionId: (await this.snapshot(place)).id,
      }
      return { agent, body }
    },

    /** A Deployment of that state that nobody works on. */
    async standing(place: Place, state: string) {
      const { body } = await this.prepared(place)
      const id = newId('dep')
      const failure = state === 'failed' ? { code: 'validation_failed', message: 'It failed.' } : null
      const ended = state === 'ready' ? world.clock.now() : null
      this.insert('deployments', {
        id,
        organization_id: place.organizationId,
        project_id: place.projectId,
        environment_id: place.environmentId,
        release_id: body.releaseId,
        configuration_revision_id: body.configurationRevisionId,
        state,
        version: 1,
        machine_version: '1',
        context: JSON.stringify({ failure, digest: ended && digest, readyAt: ended }),
        digest: ended && digest,
        created_by_type: 'user',
        created_by_id: 'usr_',
        created_at: world.clock.now(),
        updated_at: world.clock.now(),
        ready_at: ended,
      })
      return id
    },

    /** Submits, and waits for the end. */
    async deploy(place: Place, releaseId: string, configurationRevisionId?: string) {
      const revisionId = configurationRevisionId ?? (await this.snapshot(place)).id
      const body = { releaseId, configurationRevisionId: revisionId }
      const submitted = await data<Deployment>(place.owner.post(`${place.path}/deployments`, body))
      return this.ended(place, submitted.id)
    },

    ended(place: Pick<Place, 'path' | 'owner'>, id: string): Promise<Deployment> {
      return eventually(`the end of ${id}`, async () => {
        const { body } = await place.owner.get(`${place.path}/deployments/${id}`)
        return ['ready', 'failed', 'canceled'].includes(body.data.state) && body.data
      })
    },

    /** A Deployment that is ready, of a new Agent. */
    async ready(place: Place) {
      const agent = await this.agent(place)
      const deployment = await this.deploy(place, await this.release(place, [agent]))
      expect(deployment).toMatchObject({ state: 'ready' })
      return { ...deployment, agent }
    },

    activate: (place: Place, deploymentId: string, expectedGeneration: number) =>
      place.owner.post(`${place.path}/activations`, { deploymentId, expectedGeneration }),

    /** The Environment's history, as it is stored. */
    history: (place: Pick<Place, 'environmentId'>) =>
      world
        .rows<{ body: string }>(
          'select body from environment_events where environment_id = ? order by sequence',
          place.environmentId,
        )
        .map(({ body }) => JSON.parse(body) as HistoryEvent),
  }
}

export interface Place {
  owner: Client
  organizationId: string
  project: Awaited<ReturnType<ProjectWorld['project']>>
  projectId: string
  environmentId: string
  path: string
}

export interface Deployment {
  id: string
  state: string
  stateReason: { code: string; message: string; issues?: { code: string; path: string; message: string }[] } | null
  digest: string | null
  releaseId: string
  configurationRevisionId: string
}

export interface HistoryEvent {
  id: string
  type: string
  sequence: number
  subject: { type: string; id: string }
  actor: { type: string; id: string }
  data: Record<string, unknown>
}

/** The issues of a Deployment that failed: code and path. */
export const issuesOf = ({ stateReason }: Deployment) =>
  (stateReason?.issues ?? []).map(({ code, path }) => [code, path])
