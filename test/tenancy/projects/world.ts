/**
 * A server with people in it. Users, groups and keys are written straight into the store: how they come about over HTTP is
 * tested elsewhere.
 */
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { openTroupe, type TroupeOptions } from '../../support/troupe.ts'

/** An account whose address is verified from the beginning. */
const verified = (at: number) => ({ created_at: at, email_verified_at: at })

export interface KeyOptions {
  operations?: readonly string[]
  projectId?: string
  environmentId?: string
  agentId?: string
  organizationId?: string
}

export async function openWorld(options: Omit<TroupeOptions, 'clock'> = {}) {
  const clock = new HandClock()
  const troupe = await openTroupe({ clock, ...options })
  const database = new Database(troupe.file, { readwrite: true, strict: true })
  database.run('pragma busy_timeout = 5000')
  database.run('pragma foreign_keys = on')

  const rows = <Row = Record<string, unknown>>(sql: string, ...values: SQLQueryBindings[]): Row[] => {
    const statement = database.prepare(sql)
    const found = statement.all(...values) as Row[]
    statement.finalize()
    return found
  }
  const insert = (table: string, row: Record<string, SQLQueryBindings>) => {
    const places = Object.keys(row).map(() => '?')
    rows(`insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`, ...Object.values(row))
  }
  const [first] = rows<{ organization_id: string; user_id: string; operations: string }>(
    'select organization_id, created_by as user_id, operations from api_keys',
  )
  const { organization_id: ours, user_id: ownerId, operations: allOperations } = first!
  let count = 0

  const world = {
    ...troupe,
    clock,
    /** The first organization, and its owner. */
    ours,
    ownerId,
    rows,

    user(role: 'owner' | 'admin' | 'member', organizationId = ours): string {
      const id = newId('usr')
      count += 1
      const at = clock.now()
      insert('users', { id, email: `user-${count}@example.com`, name: 'User', password_hash: '', ...verified(at) })
      insert('memberships', { organization_id: organizationId, user_id: id, role, created_at: at })
      return id
    },

    /** A client with a new key of the user: with all operations and bound to nothing, unless said otherwise. */
    keyOf(userId: string, options: KeyOptions = {}): Client {
      const { operations, projectId, environmentId, agentId, organizationId = ours } = options
      const secret = newSecret()
      insert('api_keys', {
        id: newId('key'),
        organization_id: organizationId,
        name: 'key',
        prefix: secret.slice(0, 8),
        secret_hash: hashSecret(secret),
        operations: operations ? JSON.stringify(operations) : allOperations,
        project_id: projectId ?? null,
        environment_id: environmentId ?? null,
        agent_id: agentId ?? null,
        created_by: userId,
        status: 'active',
        expires_at: clock.now() + 86_400_000,
        last_used_at: null,
        created_at: clock.now(),
      })
      return troupe.as(secret)
    },

    group(members: readonly string[], organizationId = ours): string {
      const id = newId('ugr')
      const at = clock.now()
      insert('user_groups', {
        id,
        organization_id: organizationId,
        name: `Group ${id}`,
        created_at: at,
        updated_at: at,
      })
      for (const userId of members) {
        insert('user_group_members', {
          user_group_id: id,
          organization_id: organizationId,
          user_id: userId,
          created_at: at,
        })
      }
      return id
    },

    /** Another organization with its owner's client. */
    organization(): { id: string; userId: string; owner: Client } {
      const id = newId('org')
      count += 1
      const at = clock.now()
      insert('organizations', {
        id,
        slug: `org-${count}`,
        name: 'Organization',
        kind: 'team',
        status: 'active',
        created_at: at,
        updated_at: at,
      })
      const userId = world.user('owner', id)
      return { id, userId, owner: world.keyOf(userId, { organizationId: id }) }
    },

    /** A new Project with its Environments. */
    async project(owner: Client = troupe.owner) {
      count += 1
      const { body } = await owner.post('/api/v1/projects', { slug: `project-${count}`, name: 'Project' })
      const path = `/api/v1/projects/${body.data.id}`
      const environments = (await owner.get(`${path}/environments`)).body.data.items as { id: string }[]
      const ids = environments.map(({ id }) => id) as [string, string, string]
      return { ...(body.data as { id: string; slug: string }), path, environments: ids }
    },

    async stop() {
      database.close()
      await troupe.stop()
    },
  }
  return world
}

export type World = Awaited<ReturnType<typeof openWorld>>
