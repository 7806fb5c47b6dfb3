/** The additions of a route to its entry in the API document. Source: contract 9. */
import type { DocumentDecoration } from 'elysia'

/** The `detail` of a route: operation id, heading and text. Its `tags` are its plugin's unless `more` has others. */
export const doc = (
  operationId: string,
  summary: string,
  description?: string,
  more: Pick<DocumentDecoration, 'tags' | 'responses' | 'hide'> = {},
): DocumentDecoration => ({ operationId, summary, ...(description !== undefined && { description }), ...more })
