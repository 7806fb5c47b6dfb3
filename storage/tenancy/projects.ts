/** Projects. Every look-up is within an organization. Source: requirement 2; contract 2. */
import type { ExpressionBuilder } from 'kysely'
import { activeOrganization } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { listByName, type Named, write } from '../statement.ts'
import type { Query, Store } from '../store.ts'
import type { ProjectRow, Tables } from '../tables.ts'

const projects = rowsOf('projects', 'id')

/** `StaleWrite` if the organization is being deleted. */
export const insertProject = write(
  (db, row: ProjectRow) => insertFrom(db, 'projects', row, activeOrganization(db, row)),
  1,
)

/**
 * The new values of a Project. The `…Was` fields hold the values that were read; the update fails if they have changed.
 */
interface ProjectUpdate extends Pick<ProjectRow, 'id' | 'organization_id' | 'slug' | 'name' | 'status' | 'updated_at'> {
  slugWas: string
  nameWas: string
  statusWas: ProjectRow['status']
}

export const updateProject = write(
  (db, row: ProjectUpdate) =>
    db
      .updateTable('projects')
      .set({ slug: row.slug, name: row.name, status: row.status, updated_at: row.updated_at })
      .where('id', '=', row.id)
      .where('organization_id', '=', row.organization_id)
      .where('slug', '=', row.slugWas)
      .where('name', '=', row.nameWas)
      .where('status', '=', row.statusWas),
  1,
)

/** The organization's Project with this id; undefined if it does not exist or belongs to another organization. */
export const findProject = projects.find('id', 'organization_id')

/** The Project, unless it is being deleted. */
export const findLiveProject = projects.where(({ eb }) => eb('status', '<>', 'deleting')).find('id', 'organization_id')

interface ProjectListValues {
  organizationId: string
  /** The last id of the previous page. */
  before: string
  limit: number
}

/** Newest first; `named` is the slug. */
export const listProjects = listByName((db, values: ProjectListValues & Named, isNamed) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .$if(isNamed, (list) => list.where('slug', '=', values.named as string))
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** Newest first, only ids in `ids`. The SQL depends on their number, so it is compiled on each call. */
export function listProjectsAmong(
  { db }: Store,
  ids: readonly string[],
  { organizationId, named, before, limit }: ProjectListValues & Named,
): Query<ProjectRow> {
  const isAmong = ({ eb }: ExpressionBuilder<Tables, 'projects'>) =>
    ids.length === 0 ? eb.lit(false) : eb('id', 'in', ids)
  return db
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '<', before)
    .where(isAmong)
    .$if(named !== null, (list) => list.where('slug', '=', named as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .compile() as Query<ProjectRow>
}
