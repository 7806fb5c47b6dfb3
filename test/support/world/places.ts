/**
 * Projects with an active Environment, and the content that is authored, configured and deployed in them: over HTTP, by
 * the owner of the organization, and anything but a success fails the test.
 */
import { expect } from 'bun:test'
import type { Client } from '../client.ts'
import { eventually } from '../process.ts'
import { data } from './replies.ts'
import type { World } from './world.ts'

export interface Place {
  owner: Client
  organizationId: string
  projectId: string
  /** The Project's path. */
  project: string
  /** All Environments of the Project. */
  environments: [string, string, string]
  environmentId: string
  /** The Environment's path. */
  path: string
}

export interface AgentPin {
  agentId: string
  agentRevisionId: string
}

interface DefinitionPin {
  definitionId: string
  definitionRevisionId: string
}

export interface Deployment {
  id: string
  state: string
  stateReason: { code: string; message: string; issues?: { code: string; path: string; message: string }[] } | null
  digest: string | null
  releaseId: string
  configurationRevisionId: string
}

/** A Project, and its Environments in the order of their kinds. */
export interface Project {
  id: string
  slug: string
  path: string
  environments: [string, string, string]
}

export async function createProject(owner: Client, slug: string): Promise<Project> {
  const { id } = await data<{ id: string }>(owner.post('/api/v1/projects', { slug, name: 'Project' }))
  const path = `/api/v1/projects/${id}`
  const { items } = await data<{ items: { id: string }[] }>(owner.get(`${path}/environments`))
  return { id, slug, path, environments: items.map((each) => each.id) as Project['environments'] }
}

export async function activate({
  owner,
  path,
  deploymentId,
}: Pick<Place, 'owner' | 'path'> & { deploymentId: string }) {
  const { generation } = await data<{ generation: number }>(owner.get(path))
  await data(owner.post(`${path}/activations`, { deploymentId, expectedGeneration: generation }))
}

/** An operation that returns its input. */
export const echoOperation = (name = 'echo', changes: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
  ...changes,
})

/** The helpers for the owner of an organization on a server that has no world, such as another process. */
export async function placesAt(owner: Client) {
  const { items } = await data<{ items: [{ id: string }] }>(owner.get('/api/v1/organizations'))
  const project = (client = owner) => createProject(client, `project-${crypto.randomUUID()}`)
  return placesOf({ owner, ours: items[0].id, project })
}

/** Helpers whose names are unique within this world. */
export function placesOf({ owner, ours, project }: Pick<World, 'owner' | 'ours' | 'project'>) {
  const credentials = `/api/v1/organizations/${ours}/provider-credentials`
  let count = 0
  const next = () => {
    count += 1
    return count
  }
  const places = {
    /** An active Environment in a new Project. */
    async place(client: Client = owner, organizationId: string = ours): Promise<Place> {
      const { id, path, environments } = await project(client)
      const at = { owner: client, organizationId, projectId: id, project: path, environments }
      return places.inEnvironment(at, environments[0])
    },

    async inEnvironment(at: Omit<Place, 'environmentId' | 'path'>, environmentId: string): Promise<Place> {
      const path = `${at.project}/environments/${environmentId}`
      await data(at.owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
      return { ...at, environmentId, path }
    },

    /** An Agent with one revision. */
    async agent(
      place: Place,
      content: object = {},
      grantedOperations: readonly string[] = [],
      slug = `agent-${next()}`,
    ) {
      const agents = `${place.project}/agents`
      const named = { slug, name: slug }
      const { id } = await data(place.owner.post(agents, named))
      return { ...(await places.revise(place, id, content, grantedOperations)), ...named, path: `${agents}/${id}` }
    },

    async revise(
      place: Place,
      agentId: string,
      content: object = {},
      grantedOperations: readonly string[] = [],
    ): Promise<AgentPin> {
      const body = { content: { instructions: 'Help.', ...content }, grantedOperations }
      const { id } = await data(place.owner.post(`${place.project}/agents/${agentId}/revisions`, body))
      return { agentId, agentRevisionId: id }
    },

    /** A Definition of these operations, with one revision. */
    operations: (place: Place, name: string, operations: readonly object[]) =>
      places.define(place, name, 'operations', { operations }),

    /** A Definition with one revision. */
    async define(place: Place, name: string, kind: string, source: object): Promise<DefinitionPin> {
      const definitions = `${place.project}/definitions`
      const { id: definitionId } = await data(place.owner.post(definitions, { name, kind }))
      const { id } = await data(place.owner.post(`${definitions}/${definitionId}/revisions`, { source }))
      return { definitionId, definitionRevisionId: id }
    },

    /** A Release of the given pins, which may have more fields than a pin. */
    async release(
      place: Place,
      agents: readonly AgentPin[],
      definitions: readonly object[] = [],
      delegateAttachments: readonly object[] = [],
    ): Promise<string> {
      const pins = agents.map(({ agentId, agentRevisionId }) => ({ agentId, agentRevisionId }))
      const body = { agents: pins, definitions, delegateAttachments }
      return (await data(place.owner.post(`${place.project}/releases`, body))).id
    },

    /** A Connection without authentication, with a unique name. */
    connection: (place: Place, changes: object = {}) =>
      data<{ id: string; name: string; currentVersion: { id: string } }>(
        place.owner.post(`${place.path}/connections`, {
          name: `Connection ${next()}`,
          kind: 'custom',
          settings: {},
          ...changes,
        }),
      ),

    /** A variable with a unique name, and a value unless it has a source. */
    variable: (place: Place, changes: { name?: string; [field: string]: unknown } = {}) =>
      data<{ id: string; name: string; version: number }>(
        place.owner.post(`${place.path}/variables`, {
          name: `VARIABLE_${next()}`,
          ...(changes.sourceVariableId === undefined && { value: 'hunter2-value' }),
          ...changes,
        }),
      ),

    /** A model provider key of our organization. */
    async credential(provider: string, secret = 'hunter2-secret') {
      const label = `Key of ${provider}`
      const { id } = await data(owner.post(credentials, { label, provider, credentialType: 'api_key', secret }))
      const path = `${credentials}/${id}`
      return {
        id,
        label,
        path,
        disable: () => data(owner.patch(path, { status: 'disabled' })),
        enable: () => data(owner.patch(path, { status: 'active' })),
        rotate: (next: string) => data(owner.post(`${path}/versions`, { secret: next })),
      }
    },

    setting: (place: Place, agentId: string, setting: object) =>
      data<{ settingId: number }>(place.owner.post(`${place.path}/agents/${agentId}/provider-settings`, setting)),

    /** A Configuration Revision of the Environment's current configuration. */
    async snapshot(place: Pick<Place, 'owner' | 'path'>) {
      const { configurationHead } = await data<{ configurationHead: { revisionId: string } }>(
        place.owner.get(place.path),
      )
      const body = { expectedHeadRevisionId: configurationHead.revisionId }
      return data<{ id: string; number: number }>(place.owner.post(`${place.path}/configuration-revisions`, body))
    },

    /** Submits a Deployment, and waits for its end. */
    async submitted(place: Place, releaseId: string, configurationRevisionId?: string): Promise<Deployment> {
      const body = {
        releaseId,
        configurationRevisionId: configurationRevisionId ?? (await places.snapshot(place)).id,
      }
      const { id } = await data(place.owner.post(`${place.path}/deployments`, body))
      return places.settled(place, id)
    },

    /** The Deployment, once it has ended. */
    settled: ({ owner, path }: Pick<Place, 'path' | 'owner'>, id: string): Promise<Deployment> =>
      eventually(`the end of ${id}`, async () => {
        const deployment = await data<Deployment>(owner.get(`${path}/deployments/${id}`))
        return ['ready', 'failed', 'canceled'].includes(deployment.state) && deployment
      }),

    /** Releases, freezes the current configuration, and deploys; the Deployment is ready. */
    async deploy(place: Place, ...released: Released): Promise<string> {
      const deployment = await places.submitted(place, await places.release(place, ...released))
      expect(deployment).toMatchObject({ state: 'ready', stateReason: null })
      return deployment.id
    },

    activate: (place: Place, deploymentId: string) => activate({ ...place, deploymentId }),

    /** Deploys and activates. */
    async serve(place: Place, ...released: Released): Promise<string> {
      const deploymentId = await places.deploy(place, ...released)
      await places.activate(place, deploymentId)
      return deploymentId
    },
  }
  return places
}

/** Agents, Definitions and attachments of delegates. */
type Released = [readonly AgentPin[], (readonly object[])?, (readonly object[])?]
