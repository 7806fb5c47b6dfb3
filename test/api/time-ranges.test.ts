/** Times and ranges of time in requests. Source: contract 0, "Timestamps", "Errors". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { placesOf } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let environment: string
let webhook: string

beforeAll(async () => {
  world = await openWorld()
  environment = (await placesOf(world).place()).path
  const body = { endpointUrl: 'https://hooks.example.com/troupe', eventTypes: ['run.completed'] }
  const { id } = await data<{ id: string }>(world.owner.post(`${environment}/webhooks`, body))
  webhook = `${environment}/webhooks/${id}`
})
afterAll(() => world?.stop())

const audit = () => `/api/v1/organizations/${world.ours}/audit-events`
const lists: { what: string; path: () => string; since?: string; until?: string }[] = [
  { what: 'runs', path: () => '/api/v1/agent-runs?' },
  {
    what: 'runs by their end',
    path: () => '/api/v1/agent-runs?sort=endedAt&',
    since: 'endedSince',
    until: 'endedUntil',
  },
  { what: 'audit events', path: () => `${audit()}?` },
  { what: 'an export of audit events', path: () => `${audit()}/export?format=csv&` },
  { what: 'deliveries', path: () => `${webhook}/deliveries?` },
  { what: 'approvals', path: () => `${environment}/operation-approvals?` },
]

describe('a range that ends before it begins is refused, and both of its ends are named', () => {
  test.each(lists)('$what', async ({ path, since = 'since', until = 'until' }) => {
    const asked = (first: string, last: string) => world.owner.get(`${path()}${since}=${first}&${until}=${last}`)
    const { status, body } = await asked('2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z')
    expect({ status, ...body.error }).toMatchObject({
      status: 422,
      code: 'validation_failed',
      details: {
        issues: [
          { path: `/query/${since}`, message: `Must not be later than ${until}.` },
          { path: `/query/${until}`, message: `Must not be earlier than ${since}.` },
        ],
      },
    })
    expect(await asked('2026-02-01T01:00:00Z', '2026-02-01T02:00:00%2B01:00')).toMatchObject({ status: 200 })
  })

  test('runs of a bulk action', async () => {
    const filter = { since: '2026-02-02T00:00:00Z', until: '2026-02-01T00:00:00Z' }
    const { status, body } = await world.owner.post('/api/v1/bulk-actions', { action: 'cancel', filter })
    expect(status).toBe(422)
    const paths = body.error.details.issues.map((issue: { path: string }) => issue.path)
    expect(paths).toEqual(['/body/filter/since', '/body/filter/until'])
  })
})

describe('an instant that is none is refused', () => {
  test.each(['"2026-02-01T00:00:00Z"', '2026-02-31T00:00:00Z', '2026-02-01', '2/1/2026'])('%s', async (text) => {
    const message = 'Must be an instant as in RFC 3339, such as 2026-01-31T12:00:00.000Z.'
    for (const { path, since = 'since' } of lists) {
      const { status, body } = await world.owner.get(`${path()}${since}=${encodeURIComponent(text)}`)
      expect({ status, issues: body.error?.details.issues }).toEqual({
        status: 422,
        issues: [{ path: `/query/${since}`, message }],
      })
    }
    const { status, body } = await world.owner.post(`${webhook}/recover`, { since: text })
    expect({ status, issues: body.error?.details.issues }).toEqual({
      status: 422,
      issues: [{ path: '/body/since', message }],
    })
  })
})

test('a recovery of events of the future is refused', async () => {
  const now = world.clock.now()
  const since = (at: number) => ({ since: new Date(at).toISOString() })
  const { status, body } = await world.owner.post(`${webhook}/recover`, since(now + 1))
  const message = `Must not be in the future; it is ${new Date(now).toISOString()} now.`
  expect({ status, issues: body.error.details.issues }).toEqual({
    status: 422,
    issues: [{ path: '/body/since', message }],
  })
  expect(await world.owner.post(`${webhook}/recover`, since(now))).toMatchObject({ status: 202 })
})
