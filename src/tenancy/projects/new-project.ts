/** A Project that is about to be stored, as those see it who add to its beginning. */
import type { Store, Write } from '../../../storage/store.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

export interface NewProject {
  organizationId: string
  projectId: string
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** What a Project may begin with besides its Environments. */
export interface ProjectTemplate {
  id: string
  /** The statements that create its content, to be committed with the Project, after it. */
  copy(store: Store, project: NewProject): Write[]
}

/** The template with this id; undefined where there is none. */
export type FindTemplate = (templateId: string) => ProjectTemplate | undefined
