/** Organizations and their members. Source: requirement 2; contract 1, 2. */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'

const organizations = rowsOf('organizations', 'id')
const installation = rowsOf('installation', 'id')
const memberships = rowsOf('memberships', 'organization_id', 'user_id')

export const insertOrganization = organizations.insert()

export const insertMembership = memberships.insert()

export const findOrganization = organizations.find()

/** The ids of the first organizations of the store. */
export const firstOrganizations = query((db, values: { limit: number }) =>
  db.selectFrom('organizations').select('id').orderBy('id').limit(values.limit),
)

/**
 * The user's organizations in which a session that began at `sessionBeganAt` is valid, newest first, ids below
 * `before`.
 */
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

/** Sets the given fields; null leaves a field unchanged. */
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

/** The longest-standing owner of the installation's first organization; no row if that organization was deleted. */
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

/** The user's oldest membership; memberships in which a session that began at `sessionBeganAt` is valid come first. */
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
 * The user's membership in the organization with this id or slug; without one, the oldest membership, preferably one in
 * which a session that began at `sessionBeganAt` is valid.
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

/** The first organization, if the user is one of its owners. */
export const findOwnershipOfFirst = query((db, values: { userId: string }) =>
  db
    .selectFrom('installation')
    .innerJoin('memberships', 'memberships.organization_id', 'installation.first_organization_id')
    .select('memberships.organization_id')
    .where('memberships.user_id', '=', values.userId)
    .where('memberships.role', '=', 'owner'),
)

const findMembership = memberships.only('role').find()

/** Whether the user is a member of the organization. */
export const isMember = async (store: Store, organizationId: string, userId: string): Promise<boolean> =>
  (await store.first(findMembership(store, { organizationId, userId }))) !== undefined
