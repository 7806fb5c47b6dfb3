/** Organizations and who belongs to them. Source: requirement 2; contract 1, 2. */
import { query, write } from './statement.ts'
import type { Store } from './store.ts'
import type { MembershipRow, OrganizationRow } from './tables.ts'

export const insertOrganization = write((db, row: OrganizationRow) => db.insertInto('organizations').values(row))

export const insertMembership = write((db, row: MembershipRow) => db.insertInto('memberships').values(row))

/** The oldest organization that has an owner, and the one who has owned it longest. */
export const findFirstOwner = query((db, _values: object) =>
  db
    .selectFrom('memberships')
    .select(['organization_id', 'user_id'])
    .where('role', '=', 'owner')
    .orderBy('organization_id')
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(1),
)

const findMembership = query((db, values: { organizationId: string; userId: string }) =>
  db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', values.organizationId)
    .where('user_id', '=', values.userId),
)

/** Whether the user belongs to the organization. */
export const isMember = async (store: Store, organizationId: string, userId: string): Promise<boolean> =>
  (await store.first(findMembership(store, { organizationId, userId }))) !== undefined
