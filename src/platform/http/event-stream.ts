/** Streams of server-sent events in the API document. Generators of clients make types of the named events. */
import { type TSchema, Type } from '@sinclair/typebox'
import { Timestamp } from './schema.ts'

/** An event by its name. `data` is JSON, and shown as the value that it holds; without an `id` a reader cannot resume at it. */
export const SentEvent = <const Name extends string>(event: Name, data: TSchema, hasId = true) =>
  Type.Object({
    event: Type.Literal(event),
    ...(hasId && { id: Type.String({ description: 'For `Last-Event-ID`.' }) }),
    data,
  })

/** The last event of a stream whose reader has lost its access. */
export const Revoked = SentEvent('end', Type.Object({ reason: Type.Literal('revoked'), at: Timestamp() }), false)

/** The success of a route that streams these events. Their text is the body, so that clients read it as a string. */
export const eventStreamOf = (events: TSchema, description = 'The events.') => ({
  description,
  content: {
    'text/event-stream': {
      schema: Type.String({
        description: 'Server-sent events; the `data` of each is JSON.',
        contentMediaType: 'text/event-stream',
        contentSchema: Type.Array(events),
      }),
    },
  },
})
