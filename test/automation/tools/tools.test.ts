/** `GET {P}/agents/{agentId}/tools` and `POST …/tools/{tool}/call`: tools without a run. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { type Operations, openOperations, type Served } from '../operations/world.ts'

interface Called {
  outcome: string
  output: unknown
  error: { code: string; message: string } | null
}

const question = { type: 'object', properties: { days: { type: 'integer', minimum: 1 } }, required: ['days'] }

let world: Operations
let served: Served
let tools: string
beforeAll(async () => {
  world = await openOperations({ environment: { TROUPE_RUNNER: 'none' } })
  const builtins = ['clock', 'calculator', 'fetch', 'json', 'time'].map((name) => ({ kind: 'builtin', name }))
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks for leave.', inputSchema: question }
  served = await world.serving([echoOperation('echo')], { tools: [...builtins, ask] })
  tools = `${served.place.path}/agents/${served.agent.agentId}/tools`
})
afterAll(() => world?.stop())

const reply = (tool: string, input: unknown) => world.owner.post(`${tools}/${tool}/call`, { input })
const called = (tool: string, input: unknown) => data<Called>(reply(tool, input))

test('all tools of the deployed Agent are listed as its model receives them', async () => {
  const { items } = await data<{ items: Record<string, unknown>[] }>(world.owner.get(tools))
  expect(items.map(({ name, kind, operation }) => [name, kind, operation])).toEqual([
    ['echo', 'operation', 'shop.echo'],
    ['clock', 'builtin', null],
    ['calculator', 'builtin', null],
    ['fetch', 'builtin', null],
    ['json', 'builtin', null],
    ['time', 'builtin', null],
    ['ask', 'interactive', null],
  ])
  expect(items.at(-1)).toMatchObject({ description: 'Asks for leave.', inputSchema: question })
  expect(items[2]).toMatchObject({ inputSchema: { required: ['expression'] } })
  for (const { description } of items) expect(description).not.toBe('')
})

describe('a single call', () => {
  test('returns what the model would receive', async () => {
    expect(await called('calculator', { expression: '6 * 7' })).toEqual({
      outcome: 'output',
      output: { result: 42 },
      error: null,
    })
    const page = await called('json', { value: { a: [1, 2] }, query: 'a[1]' })
    expect(page.outcome).toBe('output')
    expect((await called('clock', {})).output).toHaveProperty('now')
  })

  test('that fails returns the error that the model would receive', async () => {
    const { outcome, output, error } = await called('calculator', { expression: '1 +' })
    expect({ outcome, output, code: error?.code }).toEqual({ outcome: 'error', output: null, code: 'tool_error' })
    expect(error?.message).not.toBe('')
  })

  test('of fetch uses the outbound request guard', async () => {
    const { outcome, error } = await called('fetch', { url: 'http://169.254.169.254/latest/meta-data/' })
    expect(outcome).toBe('error')
    expect(error?.message).toContain('The address is not public.')
  })

  test('of an interactive tool validates the input, and would wait', async () => {
    expect(await called('ask', { days: 3 })).toEqual({ outcome: 'awaits_answer', output: null, error: null })
    const { status, body } = await reply('ask', { days: 0 })
    expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/input/days'])
  })

  test.each([
    ['of another type', 'calculator', 'six times seven', '/body/input'],
    ['without a field', 'calculator', {}, '/body/input'],
    ['with an extra field', 'clock', { zone: 'UTC' }, '/body/input/zone'],
  ])('with input %s is rejected', async (_, tool, input, path) => {
    const { status, body } = await reply(tool, input)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues[0].path).toStartWith(path)
  })

  test('of an operation names the request that invokes it', async () => {
    const { status, body } = await reply('echo', { n: 1 })
    expect([status, body.error.details.issues[0]]).toEqual([
      422,
      { path: '/params/tool', message: 'Calls the operation shop.echo: invoke that.' },
    ])
  })

  test('of a tool that the Agent does not have, builtin or not, returns 404', async () => {
    // the last two are names of built-in object properties
    for (const name of ['nothing', 'toString', '__proto__']) {
      const { status, body } = await reply(name, {})
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    const other = await world.serving([echoOperation('echo')], { granted: [] })
    const path = `${other.place.path}/agents/${other.agent.agentId}/tools`
    expect((await world.owner.post(`${path}/clock/call`, { input: {} })).status).toBe(404)
    expect(await data<object>(world.owner.get(path))).toEqual({ items: [] })
  })
})
