/** A Project's slug belongs to one Project of the organization. Source: contract 2, "Slugs are unique". */
import { slugTaken as taken } from '../../platform/http/answers/errors.ts'

/** What a commit that meets another Project's slug means to the client. */
export const slugTaken = (status: 409 | 422) => ({
  'projects.slug': () => taken('Project of the organization', status),
})
