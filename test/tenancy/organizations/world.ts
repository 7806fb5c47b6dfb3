/** A server with users in every role, each with their own key. */
import type { Permission } from '../../../src/platform/http/guard/permissions.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { MembershipRow } from '../../../storage/tables.ts'
import type { Client } from '../../support/client.ts'
import type { Tenancy } from '../../support/world/tenancy.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

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
  const world = await openServer({
    environment: {
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_RUNNER: 'none',
      TROUPE_CREATE_ORGANIZATIONS: 'anyone',
      ...environment,
    },
  })
  const { tenancy, ours: organizationId } = world

  const keyOf = (
    organization: string,
    userId: string,
    operations: readonly Permission[] = permissions,
    changes: Parameters<Tenancy['key']>[3] = {},
  ) => {
    const { id: keyId, secret } = tenancy.key(organization, userId, operations, changes)
    return { keyId, secret, client: world.as(secret) }
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

  return { ...world, troupe: world, organizationId, keyOf, person, elsewhere, trail, close: world.stop }
}

export type World = Awaited<ReturnType<typeof openWorld>>
