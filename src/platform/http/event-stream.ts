/** Streams in the API document. Generators of clients make types of the named events and lines. */
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

/** The success of a route whose body is a text of these parts, so that clients read it as a string. */
const streamOf = (mediaType: string, parts: TSchema, description: string, about: string) => ({
  description,
  content: {
    [mediaType]: {
      schema: Type.String({ description: about, contentMediaType: mediaType, contentSchema: Type.Array(parts) }),
    },
  },
})

/** The success of a route that streams these events. */
export const eventStreamOf = (events: TSchema, description = 'The events.') =>
  streamOf('text/event-stream', events, description, 'Server-sent events; the `data` of each is JSON.')

/** The success of a route that streams lines of JSON. */
export const linesOf = (lines: TSchema, description: string) =>
  streamOf('application/x-ndjson', lines, description, 'Lines of JSON; empty lines have no meaning.')
