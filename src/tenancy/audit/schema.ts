/** The schemas of the audit log. Source: contract 1, "Audit". */
import { type Static, Type } from '@sinclair/typebox'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

export const AuditEvent = Type.Object(
  {
    id: Id('aud'),
    at: Timestamp(),
    actor: Type.Object(
      { type: oneOf(['user', 'apiKey', 'server']), id: Type.String() },
      { description: 'An API key, a user with a session, or the server itself.' },
    ),
    ip: nullable(Type.String({ description: "The client's address, if known." })),
    operation: Type.String({ description: 'The operation id in this document.', examples: ['addMember'] }),
    resource: Type.Object(
      { type: Type.String({ examples: ['member'] }), id: nullable(Type.String()) },
      { description: 'The target.' },
    ),
    outcome: oneOf(['allowed', 'denied', 'failed'], {
      description: 'denied: no permission or no such resource; failed: refused for another reason.',
    }),
    requestId: Type.String({ description: 'The request id, as in `X-Request-Id`.' }),
    requestIdFrom: nullable(
      oneOf(['server', 'client'], {
        description:
          'Who made the id: a client can repeat the id of another request. Null for lines older than this field.',
      }),
    ),
    changed: Type.Array(Type.String(), {
      description: 'Names of the changed fields; for a new resource, of all given fields. Never values.',
    }),
    count: Type.Integer({
      minimum: 1,
      description: 'Number of occurrences: refusals of a credential for an operation within a minute are one line.',
    }),
  },
  { $id: 'AuditEvent', description: 'A change, or an attempt to make one.' },
)
export type AuditEvent = Static<typeof AuditEvent>
