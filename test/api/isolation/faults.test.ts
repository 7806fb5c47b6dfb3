/**
 * Resources in the path are looked up before a request is rejected: every operation of the API document is called with
 * an invalid body, an invalid query and another content type for missing resources and for another organization's. Both
 * return the same 404, byte for byte. Source: contract 0, "Order of checks", "Foreign = missing", "Decided since".
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mistyped } from '../../support/mistyped.ts'
import { type Operation, operations } from './document.ts'
import type { Ids } from './furnish.ts'
import type { Row } from './matrix/rows.ts'
import { matrix } from './matrix.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.troupe.stop())

const guarded = (await operations()).filter(({ permission }) => permission !== undefined)

interface Fault {
  name: string
  query?: string
  body?: string
  contentType?: string
  headers?: Record<string, string>
  /** The status returned if the resource exists. */
  status: number
}

const unknownParameter: Fault = { name: 'an unknown parameter', query: '?no-such-parameter=1', status: 422 }
const bodies: Fault[] = [
  { name: 'malformed JSON', body: '{', contentType: 'application/json', status: 400 },
  { name: 'another content type', body: '<a/>', contentType: 'text/xml', status: 400 },
  { name: 'an unknown field', body: '{"no-such-field":1}', contentType: 'application/json', status: 422 },
]
/** Checked by handlers, and not by those that accept no key. */
const badKey: Fault = {
  name: 'a malformed Idempotency-Key',
  headers: { 'idempotency-key': 'x'.repeat(256) },
  status: 400,
}
const faultsOf = ({ method }: Operation) => (method === 'get' ? [unknownParameter] : [unknownParameter, ...bodies])

const names = ({ path }: Operation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)

/** An id of the same form that was never issued. */
const missingLike = (id: string): string => {
  if (/^\d+$/.test(id)) return '987654321'
  return /^[a-z]+_[0-9a-z]{26}$/.test(id) ? mistyped(id) : `${id.slice(0, -1)}x`
}

type Values = Record<string, string>

async function ask(operation: Operation, row: Row, values: Values, fault: Fault) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no-${name}`)
  const body = fault.body ?? (operation.method === 'get' ? undefined : JSON.stringify(row.body?.(world.ours) ?? {}))
  const headers = {
    'x-request-id': 'the same',
    ...fault.headers,
    ...(body !== undefined && { 'content-type': fault.contentType ?? 'application/json' }),
  }
  return world.client('owner').call(operation.method.toUpperCase(), path + (fault.query ?? ''), body, { headers })
}

/** The path with one of its ids replaced: by one that never existed, and by the other organization's if it has one. */
function variants(operation: Operation, row: Row): Record<'missing' | 'foreign', Values>[] {
  const [ours, theirs] = [world.ours, world.theirs].map((ids: Ids) => row.path?.(ids) ?? {}) as [Values, Values]
  return names(operation).map((name) => {
    const [own = '', other = ''] = [ours[name], theirs[name]]
    const missing = { ...ours, [name]: missingLike(own) }
    return { missing, foreign: other === own ? missing : { ...ours, [name]: other } }
  })
}

test.each(guarded.filter((operation) => names(operation).length > 0))(
  '$operationId returns 404, whatever else is wrong',
  async (operation) => {
    const row = matrix[operation.operationId] as Row
    const status = row.level === 'ownOrganization' ? 403 : 404
    for (const fault of [...faultsOf(operation), badKey]) {
      for (const { missing, foreign } of variants(operation, row)) {
        const [first, second] = [await ask(operation, row, missing, fault), await ask(operation, row, foreign, fault)]
        expect({ fault: fault.name, missing, status: first.status }).toEqual({ fault: fault.name, missing, status })
        expect(second.status).toBe(status)
        expect(second.body).toEqual(first.body)
      }
    }
  },
)

const malformed: [string, string][] = [
  ['badly encoded', '%E0%A4%A'],
  ['U+0000', '%00'],
  ['with a line break', 'a%0Ab'],
  ['very long', 'x'.repeat(5000)],
  ['a relative path', '%2e%2e%2f'],
  ['not ASCII', '%F0%9F%98%80'],
]
test.each(guarded.filter((operation) => names(operation).length > 0))(
  '$operationId returns 404 for a malformed id',
  async (operation) => {
    const row = matrix[operation.operationId] as Row
    const status = row.level === 'ownOrganization' ? 403 : 404
    for (const name of names(operation)) {
      for (const [form, id] of malformed) {
        const values = { ...row.path?.(world.ours), [name]: id }
        const { status: heard, body } = await ask(operation, row, values, unknownParameter)
        expect({ form, name, heard }).toEqual({ form, name, heard: status })
        expect(Object.keys(body.error)).not.toContain('issues')
      }
    }
  },
)

test.each(guarded.filter(({ isPaged }) => isPaged))('$operationId accepts only its own cursors', async (operation) => {
  const row = matrix[operation.operationId] as Row
  const others = world.client('owner').get(`/api/v1/projects/${world.ours.project}/environments?limit=1`)
  const foreign: string = (await others).body.pagination.nextCursor
  const cursors = operation.operationId === 'listEnvironments' ? [] : [foreign]
  for (const cursor of ['', 'nonsense', '%00', '%FF', 'x'.repeat(1025), 'A'.repeat(20_000), ...cursors]) {
    const asked = new URLSearchParams(row.query?.(world.ours)).toString()
    const fault = { name: cursor, query: `?${asked}&cursor=${cursor}`, status: 422 }
    const { status, body } = await ask(operation, row, row.path?.(world.ours) ?? {}, fault)
    expect([cursor, status, body.error.code]).toEqual([cursor, 422, 'invalid_cursor'])
  }
  const twice = { name: 'twice', query: '?limit=1&limit=1', status: 422 }
  const { status, body } = await ask(operation, row, row.path?.(world.ours) ?? {}, twice)
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
})

describe('for an existing resource the fault is reported:', () => {
  const there = guarded.filter(({ operationId }) => !matrix[operationId]?.missing)
  test.each(there)('$operationId', async (operation) => {
    const row = matrix[operation.operationId] as Row
    for (const fault of faultsOf(operation)) {
      const { status, body } = await ask(operation, row, row.path?.(world.ours) ?? {}, fault)
      expect({ fault: fault.name, status }).toEqual({ fault: fault.name, status: fault.status })
      if (fault === unknownParameter) expect(body.error.code).toBe('unknown_parameter')
    }
  })
})
