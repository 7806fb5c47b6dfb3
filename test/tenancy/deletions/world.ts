/** A server with an organization that has two equal Projects, so that one can be deleted and the other compared. */
import type { Database } from 'bun:sqlite'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { api, type Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import type { Troupe, TroupeOptions } from '../../support/troupe.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld as openServer } from '../../support/world/world.ts'
import { endedStates, insertAgent, insertRun, liveStates, openFile } from './rows.ts'

export interface Tree {
  projectId: string
  environments: string[]
  agentId: string
  agentRevisionId: string
  /** One run in every state. */
  runs: string[]
  /** Keys bound to the Project, its production Environment, its Agent. */
  keys: { id: string; client: Client }[]
  /** All its ids, including the Project's. */
  ids: string[]
}

export interface World extends Troupe {
  database: Database
  organizationId: string
  /** The answer to a POST by the owner; anything but a success fails the test. */
  post<Data = { id: string; secret: string }>(path: string, body?: unknown): Promise<Data>
}

const quick = { TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '3000', TROUPE_CANCEL_GRACE_MS: '200' }

export async function openWorld(options: TroupeOptions = {}): Promise<World> {
  const server = await openServer({ clock: systemClock, ...options, environment: { ...quick, ...options.environment } })
  const database = openFile(server.file)
  return {
    ...server,
    database,
    organizationId: server.ours,
    post: (path, given) => data(server.owner.post(path, given)),
    async stop() {
      database.close()
      await server.stop()
    },
  }
}

/** A Project with everything in it; without live runs by default. */
export async function plantProject(world: World, slug: string, states: readonly string[] = endedStates): Promise<Tree> {
  const { database, organizationId } = world
  const { id: projectId } = await world.post('/api/v1/projects', { slug, name: slug })
  const { body } = await world.owner.get(`/api/v1/projects/${projectId}/environments`)
  const environments: string[] = body.data.items.map(({ id }: { id: string }) => id)
  const agent = insertAgent(database, { organizationId, projectId }, 'helper')
  const environmentId = environments[0] as string
  const runs = states.map((state) =>
    insertRun(
      database,
      { organizationId, projectId, environmentId, agentId: agent.id, agentRevisionId: agent.revisionId },
      state as 'completed',
    ),
  )
  const bind = async (scope: object) => {
    const key = await world.post('/api/v1/api-keys', {
      name: 'bound',
      operations: ['projects:get', 'projects:list', 'agents:delete'],
      ...scope,
    })
    return { id: key.id, client: api(world.url, key.secret) }
  }
  const keys = [
    await bind({ projectId }),
    await bind({ projectId, environmentId }),
    await bind({ projectId, agentId: agent.id }),
  ]
  const { body: session } = await world.owner.get(`/api/v1/organizations/${organizationId}/members`)
  const userId = session.data.items[0].userId
  const grant = await world.post(`/api/v1/projects/${projectId}/access-grants`, {
    subject: { type: 'user', id: userId },
    permissions: ['projects:get'],
  })
  const ids = [projectId, ...environments, agent.id, agent.revisionId, ...runs, ...keys.map(({ id }) => id), grant.id]
  return { projectId, environments, agentId: agent.id, agentRevisionId: agent.revisionId, runs, keys, ids }
}

export const allStates = [...liveStates, ...endedStates]

/** The current state of the removal. */
export const stateOf = ({ database }: Pick<World, 'database'>, id: string): string | undefined =>
  database.query<{ state: string }, [string]>('select state from deletions where id = ?').get(id)?.state

/** Resolves when the target is removed, and the last round of work has ended. */
export const settled = (world: Pick<World, 'database'>, id: string) =>
  eventually(`the end of ${id}`, () => {
    if (stateOf(world, id) !== 'settling') return false
    return world.database.query('select 1 from effects where actor_id = ?').get(id) === null
  })
