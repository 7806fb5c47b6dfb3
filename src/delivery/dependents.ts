/**
 * What refers to a resource and keeps it from being deleted: with its name and its place in `details.dependents`, and the first
 * ones in the message. Source: contract 0, "Errors".
 */
import type { EnvironmentRow } from '../../storage/tables.ts'

/** The most dependents in `details`. */
export const dependentsMax = 20
const namedMax = 5

/** Columns of the place of something that refers to a resource. */
export interface PlaceOfUse {
  project_id: string
  project_slug: string
  environment_id: string
  environment_kind: EnvironmentRow['kind']
}

export const presentPlace = (row: PlaceOfUse) => ({
  project: { id: row.project_id, slug: row.project_slug },
  environment: { id: row.environment_id, kind: row.environment_kind },
})

/** The place in words: `the Environment production (env_…) of the Project shop`. */
export const placeInWords = (row: PlaceOfUse): string =>
  `the Environment ${row.environment_kind} (${row.environment_id}) of the Project ${row.project_slug}`

/** The first names of a list, for a message; empty without any. */
export const someOf = (names: readonly string[]): string =>
  names.slice(0, namedMax).join(', ') + (names.length > namedMax ? ' …' : '')
