/**
 * The world of a test: the whole server in this process, its clock, its first organization, and direct access to its
 * store. The world of a folder adds what its tests need.
 *
 *     const world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
 *     const member = world.keyOf(world.user('member'))
 *     const { path } = await world.project()
 */
import type { SQLQueryBindings } from 'bun:sqlite'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import type { MembershipRow } from '../../../storage/tables.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../client.ts'
import { engine } from '../stores/engine.ts'
import { openTroupe, type Troupe, type TroupeOptions } from '../troupe.ts'
import { createProject, type Project } from './places.ts'
import { data } from './replies.ts'
import { Tenancy } from './tenancy.ts'

interface WorldOptions<Of extends Clock> extends TroupeOptions {
  /** Moved by hand by default. */
  clock?: Of
}

interface KeyOptions {
  operations?: readonly string[]
  projectId?: string
  environmentId?: string
  agentId?: string
  organizationId?: string
}

/**
 * The first organization and its owner; read through the API only if the store is no file, since that leaves traces.
 */
async function firstOf({ owner }: Troupe, tenancy: Tenancy): Promise<{ ours: string; ownerId: string }> {
  if (engine === 'sqlite') {
    const found = 'select organization_id as ours, created_by as ownerId from api_keys order by created_at, id limit 1'
    return tenancy.all<{ ours: string; ownerId: string }>(found)[0]!
  }
  const of = <Item>(path: string) => data<{ items: [Item] }>(owner.get(path))
  const [{ id: ours }] = (await of<{ id: string }>('/api/v1/organizations')).items
  const [{ userId: ownerId }] = (await of<{ userId: string }>(`/api/v1/organizations/${ours}/members`)).items
  return { ours, ownerId }
}

export async function openWorld<Of extends Clock = HandClock>({ clock, ...options }: WorldOptions<Of> = {}) {
  const its = clock ?? (new HandClock() as Clock as Of)
  const troupe = await openTroupe({ ...options, clock: its })
  const tenancy = new Tenancy(troupe.file, () => its.now())
  const { ours, ownerId } = await firstOf(troupe, tenancy)
  let count = 0

  const world = {
    ...troupe,
    clock: its,
    /** The first organization, and its owner. */
    ours,
    ownerId,
    /** Writes people and places into the store without notifying the server. */
    tenancy,
    /** Executes statements on the store. */
    rows: <Row = Record<string, unknown>>(sql: string, ...values: SQLQueryBindings[]): Row[] =>
      tenancy.all<Row>(sql, ...values),

    /** A member of the organization. */
    user: (role: MembershipRow['role'], organizationId = ours): string => tenancy.user(organizationId, role),

    /** A client with a new key of the user: with all operations and no restriction by default. */
    keyOf(userId: string, options: KeyOptions = {}): Client {
      const { organizationId = ours, projectId, environmentId, agentId } = options
      const bound = { project_id: projectId ?? null, environment_id: environmentId ?? null, agent_id: agentId ?? null }
      return troupe.as(tenancy.key(organizationId, userId, options.operations ?? permissions, bound).secret)
    },

    group: (members: readonly string[], organizationId = ours): string => tenancy.group(organizationId, members),

    /** Another organization, and a client of its owner. */
    organization(): { id: string; userId: string; owner: Client } {
      const id = tenancy.organization()
      const userId = world.user('owner', id)
      return { id, userId, owner: world.keyOf(userId, { organizationId: id }) }
    },

    /** A new Project with its Environments. */
    project(owner: Client = troupe.owner): Promise<Project> {
      count += 1
      return createProject(owner, `project-${count}`)
    },

    async stop() {
      tenancy.close()
      await troupe.stop()
    },
  }
  return world
}

export type World = Awaited<ReturnType<typeof openWorld<HandClock>>>
