/** The route that lists the kinds of events with their JSON Schemas. Source: contract 6, "Decided since". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { itemsOf, oneOf } from '../../platform/http/schema.ts'
import { eventDescriptions, portable } from './described.ts'
import { eventKinds, recordedKinds } from './kinds.ts'

const EventType = Type.Object(
  {
    type: oneOf(recordedKinds, { $id: 'RecordedEventKind', description: 'The kind of event.' }),
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        description: "JSON Schema of the event: the body of a delivery, and the history's item.",
      },
    ),
  },
  { $id: 'EventType', description: 'A kind of event.' },
)

const items = eventDescriptions.map(({ kind, schema }) => ({ type: kind, schema: portable(schema) }))

export const eventTypeRoutes = ({ guarded }: { guarded: Guarded }) =>
  new Elysia({ name: 'event-types', prefix: '/api/v1', tags: ['Webhooks'] })
    .use(guarded)
    .get('/event-types', () => ({ data: { items } }), {
      permission: 'webhooks:list',
      response: { 200: itemsOf(EventType) },
      detail: doc(
        'listEventTypes',
        'List event types',
        `With the JSON Schema of each. A webhook can subscribe to ${eventKinds.length} of them; \`webhook.test\` is sent ` +
          'to test one.',
      ),
    })
