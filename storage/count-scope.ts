/** A part of an organization that something is counted in, and the same query for each sort of part, compiled once. */
import { perFilters } from './per-filters.ts'

export interface CountScope {
  organizationId: string
  /** What is left out narrows nothing. */
  project_id?: string
  environment_id?: string
}

/** The columns that narrow. */
export type CountScopeColumns = readonly ('project_id' | 'environment_id')[]

/** One of its kind for each sort of scope. */
export const perScope = <Built>(build: (columns: CountScopeColumns) => Built) =>
  perFilters(['project_id', 'environment_id'], build)
