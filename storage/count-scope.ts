/** A part of an organization that something is counted in, and the same query for each sort of part, compiled once. */
export interface CountScope {
  organizationId: string
  /** What is left out narrows nothing. */
  project_id?: string
  environment_id?: string
}

/** The columns that narrow. */
export type CountScopeColumns = readonly ('project_id' | 'environment_id')[]

/** One of its kind for each sort of scope. */
export function perScope<Built>(build: (columns: CountScopeColumns) => Built) {
  const built = {
    organization: build([]),
    project: build(['project_id']),
    environment: build(['environment_id']),
    both: build(['project_id', 'environment_id']),
  }
  return ({ project_id, environment_id }: CountScope): Built => {
    if (environment_id !== undefined) return project_id === undefined ? built.environment : built.both
    return project_id === undefined ? built.organization : built.project
  }
}
