/** A small area for tests: one route for each feature of the guard. */
import { Elysia, t } from 'elysia'
import { conflict, notFound, serviceUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { createCursors, type Position } from '../../../src/platform/http/cursor.ts'
import type { Guarded } from '../../../src/platform/http/guard/guarded.ts'
import { page, pageQuery } from '../../../src/platform/http/pagination.ts'
import { dataOf, Id, Name, omissible, oneOf, pageOf } from '../../../src/platform/http/schema.ts'
import { OutcomeUnknown, StaleWrite, StoreUnavailable } from '../../../storage/errors.ts'

export const thingId = 'run_01h455vb4pex5vsknk084sn02q'
export const otherThingId = 'run_01h455vb4pex5vsknk084sn02r'
export const mebibyte = 1024 * 1024

const Thing = t.Object(
  { id: Id('run'), name: Name('What it is called'), size: t.Integer({ minimum: 0 }), state: oneOf(['on', 'off']) },
  { $id: 'Thing' },
)
const thing = { id: thingId, name: 'A thing', size: 1, state: 'on' as const }
const ThingPath = t.Object({ thingId: Id('run') })
const NewThing = t.Object({
  name: Name(),
  size: t.Optional(t.Integer({ minimum: 0, maximum: 10 })),
  state: t.Optional(oneOf(['on', 'off'])),
  nested: t.Optional(t.Object({ deep: t.Optional(t.String({ maxLength: 5 })) })),
  metadata: t.Optional(t.Record(t.String(), t.Unknown())),
})
const NewForm = t.Object({
  name: Name(),
  size: t.Optional(t.Integer({ maximum: 10 })),
  files: t.Optional(t.Files({ maxItems: 3 })),
})

/** Only one thing exists. */
const find = ({ params }: { params: { thingId: string } }) => {
  if (params.thingId !== thingId) throw notFound()
}

const cursors = createCursors(new Uint8Array(32).fill(7))

export function things(guarded: Guarded) {
  return (
    new Elysia({ name: 'things', prefix: '/api/v1' })
      .use(guarded)
      .get(
        '/things',
        ({ caller, query }) => {
          const scope = { list: 'things', organizationId: caller.organizationId, filters: { states: query.states } }
          const after: Position = query.cursor === undefined ? [0] : cursors.open(scope, query.cursor)
          const rows = Array.from({ length: 5 }, (_, index) => index + 1).filter((size) => size > Number(after[0]))
          const { items, pagination } = page(rows.slice(0, query.limit + 1), query.limit, (size) =>
            cursors.seal(scope, [size]),
          )
          return { data: { items: items.map((size) => ({ ...thing, size })) }, pagination }
        },
        {
          permission: 'agent-runs:list',
          query: t.Object({
            ...pageQuery.properties,
            states: t.Optional(t.Array(oneOf(['on', 'off']))),
            depth: t.Optional(t.Integer()),
          }),
          response: { 200: pageOf(Thing) },
          detail: { operationId: 'listThings', summary: 'List things', tags: ['Agent runs'] },
        },
      )
      .post('/things', ({ body }) => ({ data: body }), {
        permission: 'agent-runs:create',
        resource: 'thing',
        body: NewThing,
        response: { 201: dataOf(NewThing) },
        detail: { operationId: 'createThing', summary: 'Create a thing', tags: ['Agent runs'] },
      })
      .get(
        '/things/:thingId',
        ({ params, requestId, caller }) => {
          if (params.thingId !== thingId) throw notFound()
          return { data: { ...thing, requestId, principal: caller.principal.id } }
        },
        {
          permission: 'agent-runs:get',
          params: ThingPath,
          find,
          response: { 200: dataOf(t.Object({ ...Thing.properties, requestId: t.String(), principal: t.String() })) },
          detail: { operationId: 'getThing', summary: 'Get a thing', tags: ['Agent runs'] },
        },
      )
      .patch('/things/:thingId', ({ body }) => ({ data: body }), {
        permission: 'agent-runs:update',
        resource: 'thing',
        params: ThingPath,
        find,
        query: pageQuery,
        body: NewThing,
        response: { 200: dataOf(NewThing) },
        detail: { operationId: 'updateThing', summary: 'Update a thing', tags: ['Agent runs'] },
      })
      .delete(
        '/things/:thingId',
        ({ set }) => {
          set.status = 204
        },
        {
          permission: 'agent-runs:update',
          resource: 'thing',
          params: ThingPath,
          find,
          response: { 204: t.Void() },
          detail: { operationId: 'deleteThing', summary: 'Delete a thing', tags: ['Agent runs'] },
        },
      )
      .post('/things/:thingId/poke', () => ({ data: {} }), {
        permission: 'agent-runs:update',
        resource: 'thing',
        params: ThingPath,
        find,
        response: { 200: dataOf(t.Object({})) },
        detail: { operationId: 'pokeThing', summary: 'Poke a thing', tags: ['Agent runs'] },
      })
      .get('/things/:thingId/secret', () => ({ data: {} }), {
        permission: 'provider-credentials:get',
        hidden: true,
        params: ThingPath,
        find,
        response: { 200: dataOf(t.Object({})) },
        detail: { operationId: 'getSecret', summary: 'Get the secret of a thing', tags: ['Agent runs'] },
      })
      .get('/things/:thingId/parts/:partId', ({ params }) => ({ data: { partId: params.partId } }), {
        permission: 'agent-runs:get',
        params: t.Object({ thingId: Id('run'), partId: t.Integer({ minimum: 1 }) }),
        find,
        response: { 200: dataOf(t.Object({ partId: t.Integer() })) },
        detail: { operationId: 'getPart', summary: 'Get a part', tags: ['Agent runs'] },
      })
      // not marked as asynchronous, and its answer is a promise all the same
      .get(
        '/later',
        () => {
          const answer = Promise.reject<{ data: Record<string, never> }>(conflict('completed'))
          return answer
        },
        {
          permission: 'agent-runs:get',
          response: { 200: dataOf(t.Object({})) },
          errors: ['invalid_transition'],
          detail: { operationId: 'laterThing', summary: 'Fail later', tags: ['Agent runs'] },
        },
      )
      .get('/cookie', () => ({ data: {} }), {
        permission: 'agent-runs:get',
        cookie: t.Object({ size: t.Number() }),
        response: { 200: dataOf(t.Object({})) },
        detail: {
          operationId: 'cookieThing',
          summary: 'A cookie',
          tags: ['Agent runs'],
          responses: { 422: { description: 'Not valid.', content: { 'application/json': { schema: t.Unknown() } } } },
        },
      })
      // ends badly, in the way that the last part of the path names
      .post('/fail/:how', ({ params }) => failures[params.how]!(), {
        permission: 'agent-runs:update',
        resource: 'thing',
        params: t.Object({ how: oneOf(['conflict', 'bug', 'text', 'store', 'unknown', 'stale', 'busy']) }),
        find: () => {},
        response: { 200: dataOf(t.Object({})) },
        errors: ['invalid_transition', 'concurrent_change'],
        detail: { operationId: 'failThing', summary: 'Fail', tags: ['Agent runs'] },
      })
      .post('/optional', ({ body }) => ({ data: { given: 'name' in body } }), {
        permission: 'agent-runs:update',
        resource: 'thing',
        body: omissible(t.Object({ name: t.Optional(Name()) })),
        response: { 200: dataOf(t.Object({ given: t.Boolean() })) },
        detail: { operationId: 'optionalThing', summary: 'A body or none', tags: ['Agent runs'] },
      })
      .post('/small', ({ body }) => ({ data: body }), {
        permission: 'agent-runs:update',
        resource: 'thing',
        bodyLimit: 100,
        body: t.Object({ name: Name() }),
        response: { 200: dataOf(t.Object({ name: Name() })) },
        detail: { operationId: 'smallThing', summary: 'A small body', tags: ['Agent runs'] },
      })
      .post(
        '/form',
        async ({ body }) => {
          const files = 'files' in body && body.files ? body.files : []
          const texts = await Promise.all(files.map(async (file) => `${file.name}: ${await file.text()}`))
          return { data: { name: body.name, size: body.size ?? null, texts } }
        },
        {
          permission: 'agent-runs:create',
          resource: 'thing',
          body: t.Union([NewThing, NewForm]),
          consumes: {
            'application/json': { schema: NewThing, bytesMax: 2 * mebibyte },
            'multipart/form-data': { schema: NewForm, bytesMax: mebibyte },
          },
          response: {
            200: dataOf(t.Object({ name: Name(), size: t.Union([t.Integer(), t.Null()]), texts: t.Array(t.String()) })),
          },
          detail: { operationId: 'formThing', summary: 'JSON or a form', tags: ['Agent runs'] },
        },
      )
      .get(
        '/stream',
        async function* ({ set }) {
          set.headers['content-type'] = 'text/event-stream'
          yield 'data: one\n\n'
        },
        {
          permission: 'agent-runs:stream',
          detail: {
            operationId: 'streamThings',
            summary: 'A stream',
            tags: ['Agent runs'],
            responses: {
              200: { description: 'Events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
            },
          },
        },
      )
  )
}

const failures: Record<string, () => { data: Record<string, never> }> = {
  conflict: () => {
    throw conflict('completed')
  },
  bug: () => {
    throw new Error('the password is hunter2')
  },
  text: () => {
    throw 'just a text'
  },
  store: () => {
    throw new StoreUnavailable('disk full at /var/lib')
  },
  unknown: () => {
    throw new OutcomeUnknown('lost at a commit')
  },
  stale: () => {
    throw new StaleWrite('somebody was first')
  },
  busy: () => {
    throw serviceUnavailable('No capacity.', 2.5)
  },
}

export const runners = (guarded: Guarded) =>
  new Elysia({ name: 'runners', prefix: '/api/v1/runner' })
    .use(guarded)
    .post('/leases', () => ({ data: { leased: true } }), {
      runner: 'registration',
      response: { 200: dataOf(t.Object({ leased: t.Boolean() })) },
      detail: { operationId: 'lease', summary: 'Lease', tags: ['Runner protocol'] },
    })
    .post('/heartbeat', ({ attempt }) => ({ data: { ...attempt } }), {
      runner: 'attempt',
      response: { 200: dataOf(t.Record(t.String(), t.Unknown())) },
      detail: { operationId: 'heartbeat', summary: 'Beat', tags: ['Runner protocol'] },
    })
