/** Contract 0, "Decided since": 404 comes before 400, 413 and 422 for all resources in a path. */
import { describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import {
  notFound,
  permissionDenied,
  storeUnavailable,
  unauthenticated,
} from '../../../src/platform/http/answers/errors.ts'
import { dataOf, Id, Name } from '../../../src/platform/http/schema.ts'
import { authenticatorOf, callerWith } from '../../support/callers.ts'
import { api } from '../../support/client.ts'
import { allKey, mebibyte, otherThingId, testApp, thingId } from './fixture.ts'

const json = { 'content-type': 'application/json' }
const client = api(testApp().app, allKey)

const faults: [string, string, string, unknown, Record<string, string>, number][] = [
  ['malformed JSON', 'PATCH', '', '{', json, 400],
  ['no body', 'PATCH', '', undefined, {}, 400],
  ['another content type', 'PATCH', '', '<a/>', { 'content-type': 'text/xml' }, 400],
  ['a compressed body', 'PATCH', '', '{}', { ...json, 'content-encoding': 'gzip' }, 400],
  ['too large a body', 'PATCH', '', ' '.repeat(mebibyte + 1), json, 413],
  ['an invalid body', 'PATCH', '', { wrong: 1 }, {}, 422],
  ['an invalid query', 'PATCH', '?limit=0', { name: 'x' }, {}, 422],
  ['an unknown parameter', 'PATCH', '?unknown=1', { name: 'x' }, {}, 422],
  ['an unknown parameter', 'GET', '?unknown=1', undefined, {}, 422],
  ['a parameter twice', 'PATCH', '?limit=1&limit=1', { name: 'x' }, {}, 422],
  ['a body of an operation without one', 'DELETE', '', { x: 1 }, {}, 422],
  ['a malformed body of an operation without one', 'POST', '/poke', '{', json, 400],
]

test.each(faults)('%s with %s%s', async (_, method, suffix, body, headers, status) => {
  const same = { headers: { ...headers, 'x-request-id': 'same' } }
  const there = await client.call(method, `/api/v1/things/${thingId}${suffix}`, body, same)
  expect(there.status).toBe(status)
  const missing = await client.call(method, `/api/v1/things/${otherThingId}${suffix}`, body, same)
  const plain = await client.call('GET', `/api/v1/things/${otherThingId}`, undefined, {
    headers: { 'x-request-id': 'same' },
  })
  expect(missing.status).toBe(404)
  expect(missing.body).toEqual(plain.body)
})

describe('the lookup', () => {
  const looks: unknown[] = []
  let found: () => unknown = () => undefined
  const authenticator = authenticatorOf((authorization) => {
    if (!authorization) throw unauthenticated()
    return callerWith({ organizationId: 'org_1', permissions: new Set(['agents:push']) })
  })
  const { guarded } = testApp({ authenticator })
  const Path = t.Object({ thingId: Id('run') })
  const refusal = (name: string): Error => (name === 'missing' ? notFound() : new Error(name))
  const area = new Elysia({ name: 'looked' }).use(guarded).post(
    '/looked/:thingId',
    ({ body }) => {
      if (body.name !== 'good') throw refusal(body.name)
      return { data: {} }
    },
    {
      permission: 'agents:push',
      resource: 'thing',
      params: Path,
      body: t.Object({ name: Name() }),
      find: (naming: { params: { thingId: string }; caller: { organizationId: string } }) => {
        looks.push([naming.caller.organizationId, naming.params.thingId])
        return found()
      },
      response: { 200: dataOf(t.Object({})) },
      detail: { operationId: 'look', summary: 'Look', tags: ['Agent runs'] },
    },
  )
  const looking = api(testApp({ guarded, areas: [area] }).app, 'key')
  const ask = async (body: unknown, how: () => unknown, key: string | null = 'key') => {
    looks.length = 0
    found = how
    const { status } = await looking.post(`/looked/${thingId}`, body, { key })
    return [status, looks.length]
  }
  const throws = (error: Error) => () => {
    throw error
  }

  test('is not made for a valid request, an unauthenticated one, or an error that is not the request’s', async () => {
    expect(await ask({ name: 'good' }, throws(notFound()))).toEqual([200, 0])
    expect(await ask({ wrong: 1 }, throws(notFound()), null)).toEqual([401, 0])
    expect(await ask({ name: 'missing' }, () => undefined)).toEqual([404, 0])
    expect(await ask({ name: 'a bug' }, throws(notFound()))).toEqual([500, 0])
  })

  test('gets the caller and the path', async () => {
    await ask({ wrong: 1 }, () => undefined)
    expect(looks).toEqual([['org_1', thingId]])
  })

  test('may be asynchronous, and its error takes precedence', async () => {
    expect(await ask({ wrong: 1 }, () => Promise.resolve())).toEqual([422, 1])
    expect(await ask({ wrong: 1 }, () => Promise.reject(notFound()))).toEqual([404, 1])
    expect(await ask({ wrong: 1 }, throws(permissionDenied('agents:push')))).toEqual([403, 1])
    expect(await ask({ wrong: 1 }, () => Promise.reject(storeUnavailable('away')))).toEqual([503, 1])
  })

  test('reports its own exceptions as such', async () => {
    expect(await ask({ wrong: 1 }, throws(new Error('a bug')))).toEqual([500, 1])
  })
})
