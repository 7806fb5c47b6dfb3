/** What a route says about itself in the API document, besides what follows from its options. Source: contract 9. */
import type { DocumentDecoration } from 'elysia'

/**
 * The `detail` of a route: the operation's id, its heading and its text. Its chapters (`tags`) are those of its plugin,
 * unless `more` names others.
 */
export const doc = (
  operationId: string,
  summary: string,
  description?: string,
  more: Pick<DocumentDecoration, 'tags' | 'responses' | 'hide'> = {},
): DocumentDecoration => ({ operationId, summary, ...(description !== undefined && { description }), ...more })
