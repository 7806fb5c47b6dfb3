/** Lines of the audit log in the API document. Source: contract 1, "Audit". */
import { type Static, Type } from '@sinclair/typebox'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

export const AuditEvent = Type.Object(
  {
    id: Id('aud'),
    at: Timestamp(),
    actor: Type.Object(
      { type: oneOf(['user', 'apiKey', 'server']), id: Type.String() },
      { description: 'The credential that called: an API key, or a user with a session; or the server by itself.' },
    ),
    ip: nullable(Type.String({ description: "The client's address, where it is known." })),
    operation: Type.String({ description: 'The operation, as this document names it.', examples: ['addMember'] }),
    resource: Type.Object(
      { type: Type.String({ examples: ['member'] }), id: nullable(Type.String()) },
      { description: 'What it was about.' },
    ),
    outcome: oneOf(['allowed', 'denied', 'failed'], {
      description: 'denied: no permission, or no such resource; failed: refused for another reason.',
    }),
    requestId: Type.String({ description: 'The request, as in `X-Request-Id`.' }),
    requestIdFrom: nullable(
      oneOf(['server', 'client'], {
        description:
          'Who made the id: a client can send an id that another request has had. Null: older than this field.',
      }),
    ),
    changed: Type.Array(Type.String(), {
      description:
        'Names of the fields that have another value now, of something new all that was given; never values.',
    }),
    count: Type.Integer({
      minimum: 1,
      description: 'How often: refusals that a credential gets for an operation within a minute are one line.',
    }),
  },
  { $id: 'AuditEvent', description: 'Who has changed something, or tried to.' },
)
export type AuditEvent = Static<typeof AuditEvent>
