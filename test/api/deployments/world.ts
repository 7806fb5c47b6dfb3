/**
 * A server with Projects that have something to deploy. Releases are written straight into the store: how one comes about
 * over HTTP, and what it refuses, is tested elsewhere.
 */
import { expect } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { openWorld as openProjects, type World as ProjectWorld } from '../projects/world.ts'

export type World = Awaited<ReturnType<typeof openWorld>>

export interface Pin {
  agentId: string
  agentRevisionId: string
}

export const digest = `sha256:${'0'.repeat(64)}`

export async function openWorld() {
  const world = await openProjects()
  let count = 0

  const expected = async (status: number, reply: Promise<{ status: number; body: { data: never; error?: unknown } }>) => {
    const { status: answered, body } = await reply
    expect({ status: answered, error: body.error }).toEqual({ status, error: undefined })
    return body.data
  }

  return {
    ...world,
    expected,

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
      await expected(200, owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }) as never)
      return { owner, organizationId, project, projectId: project.id, environmentId, path }
    },

    /** An Agent with one revision. */
    async agent(place: Place, content: object = {}, grantedOperations: string[] = []) {
      count += 1
      const path = `${place.project.path}/agents`
      const agent = (await expected(
        200,
        place.owner.post(path, { slug: `agent-${count}`, name: 'Agent' }) as never,
      )) as { id: string; slug: string }
      const revision = (await expected(
        201,
        place.owner.post(`${path}/${agent.id}/revisions`, {
          content: { instructions: 'Help.', ...content },
          grantedOperations,
        }) as never,
      )) as { id: string }
      return { agentId: agent.id, agentRevisionId: revision.id, slug: agent.slug, path: `${path}/${agent.id}` }
    },

    release(place: Place, agents: readonly Pin[], definitions: readonly object[] = [], attachments: object[] = []) {
      count += 1
      const id = newId('rel')
      this.insert('releases', {
        id,
        organization_id: place.organizationId,
        project_id: place.projectId,
        number: count,
        agents: JSON.stringify(agents.map(({ agentId, agentRevisionId }) => ({ agentId, agentRevisionId }))),
        definitions: JSON.stringify(definitions),
        delegate_attachments: JSON.stringify(attachments),
        digest,
        description: null,
        created_by_type: 'user',
        created_by_id: 'usr_',
        created_at: world.clock.now(),
      })
      for (const { agentId, agentRevisionId } of agents) {
        this.insert('release_pins', { resource_id: agentId, release_id: id, revision_id: agentRevisionId })
      }
      return id
    },

    /** A Definition of operations with one revision, and its pin. */
    definition(place: Place, name: string, source: object) {
      const [definitionId, definitionRevisionId] = [newId('def'), newId('dfr')]
      const whose = { organization_id: place.organizationId, created_at: world.clock.now() }
      this.insert('definitions', {
        id: definitionId,
        ...whose,
        project_id: place.projectId,
        name,
        kind: 'operations',
        status: 'active',
        latest_revision_id: definitionRevisionId,
        updated_at: world.clock.now(),
      })
      this.insert('definition_revisions', {
        id: definitionRevisionId,
        ...whose,
        definition_id: definitionId,
        number: 1,
        source: JSON.stringify(source),
        source_digest: digest,
        created_by_type: 'user',
        created_by_id: 'usr_',
      })
      return { definitionId, definitionRevisionId }
    },

    /** A Configuration Revision of what the Environment is configured with now. */
    async snapshot(place: Place) {
      const { configurationHead } = (await place.owner.get(place.path)).body.data
      const taken = place.owner.post(`${place.path}/configuration-revisions`, {
        expectedHeadRevisionId: configurationHead.revisionId,
      })
      return (await expected(201, taken as never)) as { id: string; number: number }
    },

    /** Submits, and waits for the end. */
    async deploy(place: Place, releaseId: string, configurationRevisionId?: string) {
      const revisionId = configurationRevisionId ?? (await this.snapshot(place)).id
      const body = { releaseId, configurationRevisionId: revisionId }
      const submitted = (await expected(
        202,
        place.owner.post(`${place.path}/deployments`, body) as never,
      )) as Deployment
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
      const deployment = await this.deploy(place, this.release(place, [agent]))
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
  [field: string]: unknown
}

export interface HistoryEvent {
  id: string
  type: string
  sequence: number
  subject: { type: string; id: string }
  actor: { type: string; id: string }
  data: Record<string, unknown>
}
