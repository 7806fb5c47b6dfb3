import { afterAll, beforeAll, expect, test } from 'bun:test'
import { charts } from '../../../machines/charts/all.ts'
import type { ChartDescription } from '../../../src/runtime/statecharts/describe.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test('the list of kinds is public', async () => {
  const response = await fetch(`${world.url}/api/v1/machines`)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    data: {
      items: [
        ...charts.map(({ machine, title, about }) => ({
          kind: machine.id,
          version: machine.version ?? '1',
          title,
          about,
        })),
        { kind: 'ticket', version: '3', title: 'Ticket', about: 'Something to be done.' },
      ],
    },
  })
})

test('statecharts are public', async () => {
  const response = await fetch(`${world.url}/api/v1/machines/ticket`)
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: Record<string, unknown> }
  expect(Object.keys(data).sort()).toEqual([
    'about',
    'deadlines',
    'effects',
    'events',
    'groups',
    'guards',
    'kind',
    'layouts',
    'mermaid',
    'states',
    'title',
    'transitions',
    'version',
    'xstate',
  ])
  expect(data).toMatchObject({
    kind: 'ticket',
    version: '3',
    states: ['draft', 'in-review', 'open', 'note', 'closed'],
    xstate: { id: 'ticket', initial: 'draft' },
  })
  expect(data.groups).toEqual([])
  const row = {
    from: 'open',
    event: 'park',
    guard: null,
    to: 'note',
    effects: [],
    declaredAt: 'open',
    declaredTo: 'note',
  }
  expect(data.transitions).toContainEqual(row)
  expect(data.mermaid).toStartWith('stateDiagram-v2\n')
})

test('a statechart describes its names', async () => {
  const { data } = (await (await fetch(`${world.url}/api/v1/machines/ticket`)).json()) as { data: ChartDescription }
  expect(data.about).toBe('Something to be done.')
  expect(data.events).toContainEqual({ event: 'close', by: 'report', says: 'It is done.' })
  expect(data.events.map(({ event }) => event)).not.toContain('reviewDeadline')
  expect(data.guards).toEqual([{ guard: 'tagged', holdsWhen: 'It is tagged as ready.' }])
  expect(data.effects).toContainEqual({ effect: 'stopClock', bringsAbout: 'Stops the clock.' })
  expect(data.deadlines).toEqual([
    { event: 'reviewDeadline', states: ['in-review'], limits: 'The review.', defaultMs: 60_000, setting: null },
  ])
})

test.each(['nothing', '__proto__', 'constructor', '%2e%2e', 'x'.repeat(65)])(
  'an unknown statechart, %s: 404',
  async (kind) => {
    for (const query of ['', '?unknown=1']) {
      const response = await fetch(`${world.url}/api/v1/machines/${kind}${query}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toHaveProperty('error.code', 'not_found')
    }
  },
)

test('the API document has every operation, with its permission', async () => {
  const document = (await (await fetch(`${world.url}/docs/json`)).json()) as {
    paths: Record<string, Record<string, { 'x-permission'?: string }>>
  }
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation['x-permission'] ?? null]),
  )
  // HEAD exists beside every GET
  const named = found.filter(([method, path]) => method !== 'head' && /machines|actors/.test(path as string))
  expect(named).toEqual([
    ['get', '/api/v1/machines', null],
    ['get', '/api/v1/machines/{kind}', null],
    ['post', '/api/v1/machines/{kind}/simulate', null],
    ['get', '/api/v1/actors/ticket/{id}', 'agent-jobs:get'],
    ['get', '/api/v1/actors/ticket/{id}/machine', 'agent-jobs:get'],
    ['get', '/api/v1/actors/ticket/{id}/stream', 'agent-jobs:get'],
    ['post', '/api/v1/actors/ticket/{id}/preview', 'agent-jobs:get'],
    ['get', '/api/v1/actors/ticket/{id}/verify', 'agent-jobs:get'],
    ['post', '/api/v1/actors/ticket/{id}/simulate', 'agent-jobs:get'],
    ['post', '/api/v1/actors/ticket/{id}/embed-tickets', 'agent-jobs:get'],
    ['get', '/api/v1/embedded-actors/{kind}/{id}/machine', null],
    ['get', '/api/v1/embedded-actors/{kind}/{id}/stream', null],
  ])
})
