/** Access grants as authority sees them. Source: contract 1, "Access grant". */
import { query } from './statement.ts'

/** What the user's own grants and those of the user's groups give, Project by Project. */
export const listGrantsOfUser = query((db, values: { organizationId: string; userId: string }) =>
  db
    .selectFrom('access_grants')
    .select(['project_id', 'permissions'])
    .where('organization_id', '=', values.organizationId)
    .where('user_id', '=', values.userId)
    .unionAll(
      db
        .selectFrom('user_group_members')
        .innerJoin('access_grants', 'access_grants.user_group_id', 'user_group_members.user_group_id')
        .select(['access_grants.project_id', 'access_grants.permissions'])
        .where('user_group_members.organization_id', '=', values.organizationId)
        .where('user_group_members.user_id', '=', values.userId),
    ),
)
