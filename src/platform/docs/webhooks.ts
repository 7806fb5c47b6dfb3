/** The webhook events in the API document, one for each kind. Source: contract 6, 7. */
import type { TSchema } from '@sinclair/typebox'
import type { Detail } from './operation.ts'
import type { Schemas } from './schemas.ts'

const operationId = (kind: string) =>
  `on${kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`

/** An event in the API document. */
export interface SentEvent {
  kind: string
  /** When it is sent. */
  summary: string
  /** The schema of the whole body. */
  schema: TSchema
}

/** By kind. The answers describe how the delivery treats those of the receiver. */
export const webhooksOf = (sent: readonly SentEvent[], schemas: Schemas): Record<string, { post: Detail }> =>
  Object.fromEntries(
    sent.map(({ kind, summary, schema }) => [
      kind,
      {
        post: {
          operationId: operationId(kind),
          summary: summary.replace(/\.$/, ''),
          description:
            'Signed by Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature` verify them ' +
            'over the raw body.',
          tags: ['Webhooks'],
          security: [],
          requestBody: { required: true, content: { 'application/json': { schema: schemas.describe(schema) } } },
          responses: {
            '2XX': { description: 'The delivery succeeded; the body is ignored.' },
            '410': { description: 'The endpoint is gone; the webhook is disabled.' },
            '4XX': { description: 'The delivery is retried, as after any other answer.' },
          },
        },
      },
    ]),
  )
