/** A Project's slug belongs to one Project of the organization. Source: contract 2, "Slugs are unique". */
import { UniqueViolation } from '../../../storage/errors.ts'
import { slugTaken as taken } from '../../platform/http/answers/errors.ts'

const key = 'projects.organization_id, projects.slug'

/** What a failed commit means to the client: `slug_taken` with this status, or what it is. */
export function slugTaken(error: unknown, status: 409 | 422): unknown {
  if (!(error instanceof UniqueViolation) || error.columns !== key) return error
  return taken('Project of the organization', status, { cause: error })
}
