/** A Project's slug is unique in its organization. Source: contract 2, "Slugs are unique". */
import { slugTaken as taken } from '../../platform/http/answers/errors.ts'

/** The refusal of a commit with the slug of another Project. */
export const slugTaken = (status: 409 | 422) => ({
  'projects.slug': () => taken('Project of the organization', status),
})
