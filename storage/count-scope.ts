/** The scope of a count within an organization, and one compiled query for each kind of scope. */
import { perFilters } from './per-filters.ts'

export interface CountScope {
  organizationId: string
  /** An absent field does not filter. */
  project_id?: string
  environment_id?: string
}

/** The columns to filter by. */
export type CountScopeColumns = readonly ('project_id' | 'environment_id')[]

/** Creates one query for each kind of scope. */
export const perScope = <Built>(build: (columns: CountScopeColumns) => Built) =>
  perFilters(['project_id', 'environment_id'], build)
