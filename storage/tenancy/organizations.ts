/** Organizations and who belongs to them. Source: requirement 2; contract 1, 2. */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'

const organizations = rowsOf('organizations', 'id')
const installation = rowsOf('installation', 'id')
const memberships = rowsOf('memberships', 'organization_id', 'user_id')

export const insertOrganization = organizations.insert()

export const insertMembership = memberships.insert()

export const findOrganization = query((db, values: { organizationId: string }) =>
  db.selectFrom('organizations').selectAll().where('id', '=', values.organizationId),
)

/** Where the user belongs and a session that began then is good, the newest organization first, from before an id. */
export const listOrganizationsOf = listByName(
  (db, values: Named & { userId: string; sessionBeganAt: number; before: string; limit: number }, isNamed) =>
    db
      .selectFrom('memberships')
      .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
      .selectAll('organizations')
      .where('memberships.user_id', '=', values.userId)
      .where('memberships.organization_id', '<', values.before)
      .where(({ eb, fn, val }) =>
        eb(fn.coalesce('memberships.sessions_ended_at', val(-1)), '<', val(values.sessionBeganAt)),
      )
      .$if(isNamed, (list) => list.where('organizations.slug', '=', values.named as string))
      .orderBy('memberships.organization_id', 'desc')
      .limit(values.limit),
)

/** Sets what is given; null leaves it as it is. */
export const updateOrganization = write(
  (db, values: { organizationId: string; name: string | null; slug: string | null; at: number }) =>
    db
      .updateTable('organizations')
      .set({
        name: sql<string>`coalesce(${values.name}, name)`,
        slug: sql<string>`coalesce(${values.slug}, slug)`,
        updated_at: values.at,
      })
      .where('id', '=', values.organizationId),
  1,
)

export const insertInstallation = installation.insert()

/** Who has owned the organization of the first start for longest; no row once it is gone. */
export const findFirstOwner = query((db, _values: object) =>
  db
    .selectFrom('installation')
    .innerJoin('memberships', 'memberships.organization_id', 'installation.first_organization_id')
    .select(['memberships.organization_id', 'memberships.user_id'])
    .where('memberships.role', '=', 'owner')
    .orderBy('memberships.created_at')
    .orderBy('memberships.user_id')
    .limit(1),
)

const membershipWith = (db: Store['db'], userId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select([
      'memberships.organization_id',
      'memberships.role',
      'memberships.sessions_ended_at',
      'organizations.slug',
      'organizations.status',
    ])
    .where('memberships.user_id', '=', userId)

/** Those where sessions that began at an instant are good come first. */
const oldestMembership = query((db, values: { userId: string; sessionBeganAt: number }) =>
  membershipWith(db, values.userId)
    .orderBy(({ eb, fn, val }) =>
      eb(fn.coalesce('memberships.sessions_ended_at', val(-1)), '>=', val(values.sessionBeganAt)),
    )
    .orderBy('memberships.created_at')
    .orderBy('memberships.organization_id')
    .limit(1),
)

const membershipIn = query((db, values: { userId: string; idOrSlug: string }) =>
  membershipWith(db, values.userId).where(({ eb, or }) =>
    or([eb('organizations.id', '=', values.idOrSlug), eb('organizations.slug', '=', values.idOrSlug)]),
  ),
)

/**
 * What the user is in an organization, by its id or slug, or in the one the user has been in for longest, of those where a
 * session that began then is good.
 */
export const findMembershipFor = (
  store: Store,
  userId: string,
  idOrSlug: string | undefined,
  sessionBeganAt: number,
) =>
  idOrSlug === undefined
    ? oldestMembership(store, { userId, sessionBeganAt })
    : membershipIn(store, { userId, idOrSlug })

/** The user's own membership as an owner of the organization of the first start; no row for others. */
export const findOwnershipOfFirst = query((db, values: { userId: string }) =>
  db
    .selectFrom('installation')
    .innerJoin('memberships', 'memberships.organization_id', 'installation.first_organization_id')
    .select('memberships.organization_id')
    .where('memberships.user_id', '=', values.userId)
    .where('memberships.role', '=', 'owner'),
)

const findMembership = memberships.only('role').find()

/** Whether the user belongs to the organization. */
export const isMember = async (store: Store, organizationId: string, userId: string): Promise<boolean> =>
  (await store.first(findMembership(store, { organizationId, userId }))) !== undefined
