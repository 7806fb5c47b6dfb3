/** The schemas of the audit log. Source: contract 1, "Audit". */
import { type Static, Type } from '@sinclair/typebox'
import { pageQuery } from '../../platform/http/pagination.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { auditOutcomes } from './outcomes.ts'

const word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

const filters = {
  kind: Type.Optional(
    oneOf(['changes', 'runs'], { description: '`runs`: starts, continues and ends of runs; `changes`: all others.' }),
  ),
  actorId: word('Lines of this user or API key.'),
  operation: word('Lines of this operation, by its operation id.'),
  resourceType: word('Lines about this type of target.'),
  resourceId: word('Lines about this target.'),
  outcome: Type.Optional(oneOf(auditOutcomes, { description: 'Lines with this outcome.' })),
  since: Type.Optional(Timestamp('Lines from then on.')),
  until: Type.Optional(Timestamp('Lines from before then.')),
}

export const AuditQuery = Type.Object({ ...pageQuery.properties, ...filters })
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Type.Object({
  format: oneOf(['csv', 'jsonl'], { description: 'A table with a heading, or a JSON object in each line.' }),
  ...filters,
})
export type AuditExportQuery = Static<typeof AuditExportQuery>

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
    outcome: oneOf(auditOutcomes, {
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
