/** A Project that is about to be stored, for the areas that add its first contents. */
import type { Store, Write } from '../../../storage/store.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

export interface NewProject {
  organizationId: string
  projectId: string
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** The first contents of a Project besides its Environments. */
export interface ProjectTemplate {
  id: string
  /** The statements that create its contents, to commit with the Project, after it. */
  copy(store: Store, project: NewProject): Write[]
}

/** The template with this id; undefined if there is none. */
export type FindTemplate = (templateId: string) => ProjectTemplate | undefined
