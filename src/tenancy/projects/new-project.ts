/** A Project that is about to be stored, as those see it who add to its beginning. */
import type { Caller } from '../../platform/http/guard/caller.ts'

export interface NewProject {
  organizationId: string
  projectId: string
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}
