/**
 * Definitions and their revisions. A deleted one has the status `deleting` until its revisions are removed, and is not
 * found. Source: requirement 1, "Delivery path"; contract 3.
 */

import { activeProject } from '../active-parents.ts'
import { activePins } from '../delivery/deployments.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { marked, unmarked } from '../runtime/marked.ts'
import { write } from '../statement.ts'
import type { DefinitionRevisionRow, DefinitionRow } from '../tables.ts'
import { type AuthoredKey, authored } from './authored.ts'

const definitions = rowsOf('definitions', 'id').where(() => unmarked('definitions'))
const revisions = rowsOf('definition_revisions', 'id')
const { change, describe, advance } = authored('definitions')

/** The Definition at this path; undefined if it does not exist or belongs elsewhere. */
export const findDefinition = definitions.find('id', 'project_id', 'organization_id')

/** The Definition of a Project with this name. */
export const findDefinitionByName = definitions.find('name', 'project_id', 'organization_id')

/** A Project's Definitions, newest first, ids below `before`. */
export const listDefinitions = definitions.newestByName('id', 'name', 'project_id', 'organization_id')

export const findDefinitionRevision = revisions.find('id', 'definition_id', 'organization_id')

/** A Definition's revisions, newest first, numbers below `before`. */
export const listDefinitionRevisions = revisions.newest('number', 'definition_id', 'organization_id')

export const describeDefinition = describe
export const advanceDefinition = advance

/** `StaleWrite` if the Project is being deleted. */
export const insertDefinition = write(
  (db, row: DefinitionRow) => insertFrom(db, 'definitions', row, activeProject(db, row)),
  1,
)

/** Renames a Definition. `StaleWrite` if a Release pins it, since Releases contain `<name>.<operation>`. */
export const renameDefinition = write(
  (db, values: AuthoredKey & { name: string; at: number }) =>
    change(db, values)
      .set({ name: values.name, updated_at: values.at })
      .where(({ or, eb, not, exists, selectFrom }) =>
        or([
          eb('name', '=', values.name),
          not(exists(selectFrom('release_pins').select('release_id').where('resource_id', '=', values.id).limit(1))),
        ]),
      ),
  1,
)

/** Deletes a Definition and frees its name. `StaleWrite` if an active Deployment pins it, or if it is gone. */
export const deleteDefinition = write(
  (db, values: AuthoredKey) =>
    change(db, values)
      .set(marked)
      .where(({ not, exists }) => not(exists(activePins(db, { projectId: values.projectId, resourceId: values.id })))),
  1,
)

/** The insert takes the Definition's next number, so that numbers have no gaps or duplicates. */
export const insertDefinitionRevision = write(
  (db, row: Omit<DefinitionRevisionRow, 'number'>) =>
    db.insertInto('definition_revisions').values(({ selectFrom, fn, val }) => ({
      ...row,
      number: selectFrom('definition_revisions')
        .select(({ eb }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
        .where('definition_id', '=', row.definition_id),
    })),
  1,
)
