/** A server with people in every role, each with a key of their own. */
import type { Permission } from '../../../src/platform/http/guard/permissions.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { MembershipRow } from '../../../storage/tables.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { openTroupe } from '../../support/troupe.ts'
import { Tenancy } from '../authority/tenancy.ts'

export const organizationsPath = '/api/v1/organizations'
export const ours = `${organizationsPath}/default`

export interface Person {
  id: string
  email: string
  keyId: string
  secret: string
  client: Client
}

export async function openWorld(environment: Record<string, string> = {}) {
  const clock = new HandClock()
  const troupe = await openTroupe({
    clock,
    environment: {
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_RUNNER: 'none',
      TROUPE_CREATE_ORGANIZATIONS: 'anyone',
      ...environment,
    },
  })
  const tenancy = new Tenancy(troupe.file, () => clock.now())
  // what is lost in a crash of the machine, no test would miss
  tenancy.run('pragma synchronous = off')
  const { id: organizationId } = (await troupe.owner.get(ours)).body.data as { id: string }
  const ownerId = tenancy.all<{ user_id: string }>('select user_id from memberships')[0]?.user_id as string

  const keyOf = (
    organization: string,
    userId: string,
    operations: readonly Permission[] = permissions,
    changes: Parameters<Tenancy['key']>[3] = {},
  ) => {
    const { id: keyId, secret } = tenancy.key(organization, userId, operations, changes)
    return { keyId, secret, client: troupe.as(secret) }
  }
  const person = (role?: MembershipRow['role'], organization = organizationId): Person => {
    const id = role ? tenancy.user(organization, role) : tenancy.user()
    return { id, email: `${id}@example.com`, ...keyOf(organization, id) }
  }
  /** One more organization, with its owner. */
  const elsewhere = () => {
    const id = tenancy.organization()
    const owner = person('owner', id)
    return { id, path: `${organizationsPath}/${id}`, owner }
  }
  /** Lines of the audit log, oldest first. */
  const trail = (organization = organizationId) =>
    tenancy
      .all<Record<string, unknown>>('select * from audit_events where organization_id = ? order by id', organization)
      .map((line) => ({ ...line, changed: JSON.parse(String(line.changed)) }) as Record<string, unknown>)

  return {
    ...troupe,
    clock,
    troupe,
    tenancy,
    organizationId,
    ownerId,
    keyOf,
    person,
    elsewhere,
    trail,
    async close() {
      tenancy.close()
      await troupe.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
