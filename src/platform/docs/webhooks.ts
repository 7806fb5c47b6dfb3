/** What the server itself sends, for the API document: one webhook for each kind of event. Source: contract 6, 7. */
import type { TSchema } from '@sinclair/typebox'
import type { Detail } from './operation.ts'
import type { Schemas } from './schemas.ts'

const operationId = (kind: string) =>
  `on${kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`

/** An event that the server sends, as the document tells of it. */
export interface SentEvent {
  kind: string
  /** When it is sent. */
  summary: string
  /** Of the whole body. */
  schema: TSchema
}

/** By kind. The receiver's answers are what the delivery makes of them. */
export const webhooksOf = (sent: readonly SentEvent[], schemas: Schemas): Record<string, { post: Detail }> =>
  Object.fromEntries(
    sent.map(({ kind, summary, schema }) => [
      kind,
      {
        post: {
          operationId: operationId(kind),
          summary: summary.replace(/\.$/, ''),
          description:
            'Signed by Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature` are to be checked ' +
            'over the bytes of the body.',
          tags: ['Webhooks'],
          security: [],
          requestBody: { required: true, content: { 'application/json': { schema: schemas.describe(schema) } } },
          responses: {
            '2XX': { description: 'The delivery has arrived, whatever the body says.' },
            '410': { description: 'The endpoint is gone: the webhook is disabled.' },
            '4XX': { description: 'It is tried again later, as after any other answer.' },
          },
        },
      },
    ]),
  )
