/** Contract 0, "Paging": limits, cursors and their scope; queries are parsed strictly. */
import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { type CursorScope, createCursors, type Position } from '../../../src/platform/http/cursor.ts'
import { page, pageCharactersMax } from '../../../src/platform/http/pagination.ts'
import { readSearchedPage } from '../../../src/platform/http/searched-page.ts'
import { api } from '../../support/client.ts'
import { allKey, testApp, thingId } from './fixture.ts'

const client = api(testApp().app, allKey)
const path = '/api/v1/things'

const goodQueries: [string, number][] = [
  ['', 20],
  ['?limit=1', 1],
  ['?limit=100', 100],
  ['?utm_source=a&utm_source=b&utm_anything', 20],
  ['?', 20],
  ['?states=on,off', 20],
  ['?states=on&states=off', 20],
  ['?depth=-3', 20],
]
test.each(goodQueries)('200 for %p, with limit %d', async (query, limit) => {
  const { status, body } = await client.get(path + query)
  expect([status, body.pagination.limit]).toEqual([200, limit])
})

const badQueries: [string, string][] = [
  ...[
    '0',
    '101',
    '-1',
    '1e2',
    '1.0',
    '01',
    '+1',
    '%201',
    '0x10',
    '',
    'abc',
    'null',
    '9999999999999999999',
    '%D9%A1',
  ].map((limit): [string, string] => [`?limit=${limit}`, '/query/limit']),
  ['?limit', '/query/limit'],
  ['?limit=1&limit=2', '/query/limit'],
  ['?states=sideways', '/query/states/0'],
  ['?states=on,', '/query/states/1'],
  ['?depth=1.5', '/query/depth'],
  ['?cursor=a&cursor=b', '/query/cursor'],
  ['?states=on%00', '/query/states'],
]
test.each(badQueries)('422 for %p', async (query, issue) => {
  const { status, body } = await client.get(path + query)
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.details.issues.map((entry: { path: string }) => entry.path)).toContain(issue)
})

const unknownParameters: [string, string, string[]][] = [
  ['a word', `${path}?unknown`, ['/query/unknown']],
  ['a value', `${path}?unknown=1&limit=5`, ['/query/unknown']],
  ['the same one twice', `${path}?unknown=1&unknown=2`, ['/query/unknown']],
  ['two', `${path}?one=1&two=2`, ['/query/one', '/query/two']],
  ['another case', `${path}?Limit=5`, ['/query/Limit']],
  ["a name of Object's prototype", `${path}?__proto__=1&constructor=2`, ['/query/__proto__', '/query/constructor']],
  ['one beside an invalid one', `${path}?limit=0&unknown=1`, ['/query/unknown']],
  ['a very long name', `${path}?${'x'.repeat(5000)}=1`, [`/query/${'x'.repeat(100)}`]],
  ['one of an operation without parameters', `${path}/${thingId}?limit=5`, ['/query/limit']],
]
test.each(unknownParameters)('an unknown parameter is unknown_parameter: %s', async (_, at, issues) => {
  const { status, body } = await client.get(at)
  expect([status, body.error.code]).toEqual([422, 'unknown_parameter'])
  expect(body.error.details.issues.map((entry: { path: string }) => entry.path)).toEqual(issues)
})

test('the answer lists the known parameters', async () => {
  const { body } = await client.get(`${path}?state=on`)
  expect(body.error.message).toContain('limit, cursor, states, depth')
  expect(body.error.details.issues[0].message).toContain('Did you mean states? This operation takes: limit,')
  const none = await client.get(`${path}/${thingId}?state=on`)
  expect(none.body.error.message).toContain('takes none')
})

test('of thousands of unknown parameters the answer lists the first twenty', async () => {
  const query = Array.from({ length: 2000 }, (_, index) => `p${index}`).join('&')
  const { status, body } = await client.get(`${path}?${query}`)
  expect([status, body.error.details.issues.length]).toEqual([422, 20])
})

test.each([
  '',
  'a',
  'null',
  '%00',
  '%FF%FE',
  '%',
  'ä',
  '../../..',
  '0'.repeat(1024),
  'a'.repeat(1025),
  'a'.repeat(8000),
])('the cursor %p is invalid_cursor', async (cursor) => {
  const { status, body } = await client.get(`${path}?cursor=${cursor}`)
  expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
})

test.each(['/', '/docs', '/docs/json', '/healthz', '/readyz', '/metrics'])(
  '%s is for browsers and probes, which add their own parameters',
  async (at) => {
    expect((await client.get(`${at}?any=1&any=2`, { unchecked: true })).status).toBe(200)
  },
)

test('the pages of a list have every item once, and the last one says so', async () => {
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const { body } = await client.get(path, { query: { limit: 2, cursor } })
    seen.push(...body.data.items.map((item: { size: number }) => item.size))
    expect(body.pagination.hasMore).toBe(body.pagination.nextCursor !== undefined)
    cursor = body.pagination.nextCursor
  } while (cursor)
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test('the page size may change with a cursor, the filters may not', async () => {
  const { body } = await client.get(path, { query: { limit: 2, states: 'on,off' } })
  const cursor: string = body.pagination.nextCursor
  const wider = await client.get(path, { query: { limit: 50, states: ['off', 'on'], cursor } })
  expect(wider.body.data.items.map((item: { size: number }) => item.size)).toEqual([3, 4, 5])
  const other = await client.get(path, { query: { states: 'on', cursor } })
  expect([other.status, other.body.error.code]).toEqual([422, 'invalid_cursor'])
  expect(other.body.error.details.issues).toEqual([{ path: '/query/cursor', message: other.body.error.message }])
})

test('a search goes on with the next page where one request has looked at enough', async () => {
  const rows = Array.from({ length: 12_000 }, (_, index) => 12_000 - index)
  let reads = 0
  const read = async (after: Position | undefined, limit: number) => {
    reads += 1
    const from = after === undefined ? 0 : rows.indexOf(Number(after[0])) + 1
    return rows.slice(from, from + limit)
  }
  const place = {
    cursors: createCursors(new Uint8Array(32).fill(1)),
    scope: { list: 'rows', organizationId: 'org_1' } satisfies CursorScope,
  }
  const pages: number[][] = []
  let cursor: string | undefined
  do {
    const request = { limit: 20, search: '1', ...(cursor !== undefined && { cursor }) }
    const { data, pagination } = await readSearchedPage(
      place,
      request,
      read,
      (row) => [row],
      (row) => row,
      (row) => (row % 6_000 === 1 ? 'row 1' : 'row'),
    )
    pages.push(data.items)
    cursor = pagination.hasMore ? pagination.nextCursor : undefined
  } while (cursor !== undefined)
  expect(pages).toEqual([[], [6_001], [1]])
  expect(reads).toBe(10 + 10 + 5)
})

describe('a cursor', () => {
  const cursors = createCursors(new Uint8Array(32).fill(1))
  const scope: CursorScope = {
    list: 'runs',
    organizationId: 'org_1',
    filters: { state: 'queued', agent: undefined },
    order: 'createdAt desc',
  }
  const position: Position = [1_700_000_000_000, 'run_01h455vb4pex5vsknk084sn02q', null]
  const sealed = cursors.seal(scope, position)
  const codeOf = (act: () => unknown) => {
    try {
      act()
      return 'accepted'
    } catch (error) {
      return error instanceof ApiError ? `${error.status} ${error.code}` : String(error)
    }
  }

  test('is decoded to its position', () => {
    expect(cursors.open(scope, sealed)).toEqual(position)
    expect(cursors.open({ ...scope, filters: { state: 'queued' } }, sealed)).toEqual(position)
  })

  test('is URL-safe and does not reveal its scope', () => {
    expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/queued|org_1|runs/)
  })

  const foreign: [string, CursorScope][] = [
    ['another list', { ...scope, list: 'steps' }],
    ['another organization', { ...scope, organizationId: 'org_2' }],
    ['another filter', { ...scope, filters: { state: 'running' } }],
    ['one more filter', { ...scope, filters: { state: 'queued', agent: 'agt_1' } }],
    ['no filters', { ...scope, filters: {} }],
    ['another order', { ...scope, order: 'createdAt asc' }],
    ['a list and an organization that are joined differently', { ...scope, list: 'run', organizationId: 'sorg_1' }],
  ]
  test.each(foreign)('is invalid for %s', (_, other) => {
    expect(codeOf(() => cursors.open(other, sealed))).toBe('422 invalid_cursor')
  })

  test('with any flipped bit is invalid', () => {
    const bytes = Buffer.from(sealed, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(codeOf(() => cursors.open(scope, changed.toString('base64url')))).toBe('422 invalid_cursor')
    }
  })

  const forged = [
    '',
    'a',
    '====',
    'null',
    sealed.slice(1),
    sealed.slice(0, -1),
    `${sealed}A`,
    `${sealed}=`,
    ` ${sealed}`,
    `${sealed.slice(0, 5)}\n${sealed.slice(5)}`,
    'A'.repeat(2000),
  ]
  test.each(forged)('is not %p', (cursor) => {
    expect(codeOf(() => cursors.open(scope, cursor))).toBe('422 invalid_cursor')
  })

  test('of another key is invalid', () => {
    const other = createCursors(new Uint8Array(32).fill(2))
    expect(codeOf(() => other.open(scope, sealed))).toBe('422 invalid_cursor')
  })
})

test('a page of exactly the limit has no next page', () => {
  expect(page([1, 2], 2, String)).toEqual({ items: [1, 2], pagination: { limit: 2, hasMore: false } })
  expect(page([1, 2, 3], 2, String)).toEqual({
    items: [1, 2],
    pagination: { limit: 2, hasMore: true, nextCursor: '2' },
  })
  expect(page([], 2, String)).toEqual({ items: [], pagination: { limit: 2, hasMore: false } })
  // to the character
  const [one, other] = ['x', 'x'.repeat(pageCharactersMax - 1)]
  expect(page([one, other, one], 3, String).items.length).toBe(2)
  expect(page([one, `${other}x`], 2, String).items.length).toBe(1)
})
