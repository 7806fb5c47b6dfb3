/** Two organizations and their users. */

import type { Store } from '../../storage/store.ts'
import { insertMembership, insertOrganization } from '../../storage/tenancy/organizations.ts'
import { insertUser } from '../../storage/tenancy/users.ts'

export const id = (prefix: string, digit: string) => `${prefix}_0${digit.repeat(25)}`
export const organizations = { ours: id('org', '1'), foreign: id('org', '2') }
export const users = { owner: id('usr', '1'), colleague: id('usr', '2'), foreigner: id('usr', '3') }

/** The statements that store them. */
export function tenants(store: Store) {
  const at = Date.parse('2026-01-01')
  return [
    ...Object.values(organizations).map((organizationId, index) =>
      insertOrganization(store, {
        id: organizationId,
        slug: `org-${index}`,
        name: 'Organization',
        kind: 'team',
        status: 'active',
        created_at: at,
        updated_at: at,
      }),
    ),
    ...Object.entries(users).map(([name, userId]) =>
      insertUser(store, {
        id: userId,
        email: `${name}@example.com`,
        name,
        password_hash: '-',
        created_at: at,
        email_verified_at: at,
      }),
    ),
    ...Object.entries(users).map(([name, userId]) =>
      insertMembership(store, {
        organization_id: name === 'foreigner' ? organizations.foreign : organizations.ours,
        user_id: userId,
        role: 'member',
        created_at: at,
      }),
    ),
  ]
}
