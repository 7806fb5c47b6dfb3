/** Incomplete routes do not start, and the guard is cheap: both are checked when the app is built. */
import { describe, expect, test } from 'bun:test'
import { type AnyElysia, Elysia, t } from 'elysia'
import { testApp } from './fixture.ts'

describe('the app does not start with a route', () => {
  const { guarded } = testApp()
  const forgetful: [string, AnyElysia, RegExp][] = [
    ['without a guard', new Elysia().get('/open', () => ''), /GET \/open names no permission/],
    [
      'without a guard, in a nested plugin',
      new Elysia().use(guarded).use(new Elysia().post('/deep', () => '')),
      /POST \/deep/,
    ],
    [
      'without a schema for its ids',
      new Elysia().use(guarded).get('/x/:id', () => '', { publicAccess: true }),
      /no schema for id/,
    ],
    [
      'that does not say how its resource is found',
      new Elysia().use(guarded).get('/x/:id', () => '', { publicAccess: true, params: t.Object({ id: t.String() }) }),
      /GET \/x\/:id does not say how to find id/,
    ],
    [
      'with an Agent outside of Projects that the guard does not find',
      new Elysia()
        .use(guarded)
        .get('/x/:agentId', () => '', { permission: 'agents:get', params: t.Object({ agentId: t.String() }) }),
      /how to find agentId/,
    ],
    ['that is a constant answer without a guard', new Elysia().get('/text', 'hello'), /GET \/text/],
  ]
  test.each(forgetful)('%s', (_, area, problem) => {
    expect(() => testApp({ guarded, areas: [area] })).toThrow(problem)
  })

  test('unless it is guarded, at any depth', () => {
    const inner = new Elysia({ prefix: '/inner' })
      .use(guarded)
      .get('/:id', () => '', { publicAccess: true, params: t.Object({ id: t.String() }), find: () => {} })
    expect(() => testApp({ guarded, areas: [new Elysia({ prefix: '/outer' }).use(inner)] })).not.toThrow()
  })
})

/** The code that Elysia generates for a route: it prepares what the hooks seem to need. */
const generated = (method: string, path: string): string => {
  const route = testApp().app.routes.find((candidate) => candidate.method === method && candidate.path === path)
  return String((route as unknown as { compile(): unknown }).compile())
}

test.each([
  ['GET', '/api/v1/things/:thingId'],
  ['POST', '/api/v1/things'],
  ['GET', '/healthz'],
])('%s %s parses no cookies, copies no headers and validates nothing twice', (method, path) => {
  const code = generated(method, path)
  expect(code).toContain('await e.transform[0](c)')
  expect(code).not.toMatch(/parseCookie|toJSON\(\)|request\.json|validator|parseQueryFromURL|getServer/)
})
