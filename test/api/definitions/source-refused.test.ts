import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../projects/world.ts'
import { entity, http, operation, step, workflow } from './sources.ts'

let world: World
const paths: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld()
  const project = await world.project()
  for (const kind of ['operations', 'workflow', 'entity']) {
    const { body } = await world.owner.post(`${project.path}/definitions`, { name: kind, kind })
    paths[kind] = `${project.path}/definitions/${body.data.id}/revisions`
  }
})
afterAll(() => world.stop())

type Issue = [path: string, message: RegExp]

/** Refuses the body with exactly these issues. */
async function refused(kind: string, body: unknown, expected: Issue[]) {
  const reply = await world.owner.post(paths[kind]!, body)
  expect(reply.status).toBe(422)
  expect(reply.body.error.code).toBe('validation_failed')
  const issues = reply.body.error.details.issues as { path: string; message: string }[]
  expect(issues.map(({ path }) => path).sort()).toEqual(expected.map(([path]) => path).sort())
  for (const [path, message] of expected) expect(issues.find((issue) => issue.path === path)?.message).toMatch(message)
}

const required = /^Is required\.$/
const noSuchField = /^There is no such field\.$/
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at))
const object = { type: 'object' }

describe('a request', () => {
  test.each<[string, unknown, Issue[]]>([
    ['without a source', {}, [['/body/source', required]]],
    ['with a source that is text', { source: 'x' }, [['/body/source', /object/]]],
    ['with a source that is a list', { source: [] }, [['/body/source', /object/]]],
    ['with a source that is null', { source: null }, [['/body/source', /object/]]],
    ['that is a list', [], [['/body', /object/]]],
    ['with an unknown field', { source: { operations: [operation()] }, note: 1 }, [['/body/note', noSuchField]]],
  ])('%s is refused', async (_, body, issues) => {
    await refused('operations', body, issues)
  })

  test.each<[string, object, string[]]>([
    ['operations', workflow(), ['/operations', '/params', '/steps']],
    ['workflow', entity(), ['/params', '/steps', '/schema', '/states']],
    ['entity', { operations: [operation()] }, ['/schema', '/states', '/operations']],
  ])('for %s with the source of another kind is refused', async (kind, source, fields) => {
    await refused(
      kind,
      { source },
      fields.map((field) => [`/body/source${field}`, /required|no such field/]),
    )
  })
})

describe('an operation', () => {
  test.each<[string, object, Issue[]]>([
    ['without a name', { name: undefined }, [['/name', required]]],
    ['with a name with a dot', { name: 'a.b' }, [['/name', /match/]]],
    ['with a name of 65 characters', { name: 'x'.repeat(65) }, [['/name', /match/]]],
    ['without a description', { description: undefined }, [['/description', required]]],
    ['without an input schema', { inputSchema: undefined }, [['/inputSchema', required]]],
    ['with an input schema that is no schema', { inputSchema: { type: 'thing' } }, [['/inputSchema/type', /one of/]]],
    ['with an input that is no object', { inputSchema: { type: 'string' } }, [['/inputSchema/type', /object/]]],
    [
      'with a schema that refers to nothing',
      { outputSchema: { $ref: '#/$defs/none' } },
      [['/outputSchema', /compile/]],
    ],
    [
      'with a schema from elsewhere',
      { outputSchema: { $ref: 'https://x.test/y' } },
      [['/outputSchema/$ref', /within/]],
    ],
    ['with an unknown effect', { effect: 'delete' }, [['/effect', /read, write/]]],
    ['with a half-idempotent call', { idempotent: 'yes' }, [['/idempotent', /boolean/i]]],
    ['with an unknown approval', { approval: 'sometimes' }, [['/approval', /never, always/]]],
    ['without time', { timeoutMs: 0 }, [['/timeoutMs', /1/]]],
    ['with more than 120 seconds', { timeoutMs: 120_001 }, [['/timeoutMs', /120000/]]],
    ['with half a millisecond', { timeoutMs: 1.5 }, [['/timeoutMs', /integer/]]],
    ['with an unknown field', { retries: 1 }, [['/retries', noSuchField]]],
    ['without a handler', { handler: undefined }, [['/handler', required]]],
    ['with an unknown handler', { handler: { type: 'sql' } }, [['/handler/type', /http, agent, entity, echo/]]],
    ['with an echo that has more', { handler: { type: 'echo', input: 1 } }, [['/handler/input', noSuchField]]],
    [
      'with an Agent by no slug',
      { handler: { type: 'agent', agent: 'Support Desk', query: 'x' } },
      [['/handler/agent', /match/]],
    ],
    ['with an Agent and no query', { handler: { type: 'agent', agent: 'desk' } }, [['/handler/query', required]]],
    [
      'with a variable in what an Agent is asked',
      { handler: { type: 'agent', agent: 'desk', query: '{{variables.TOKEN}}' } },
      [['/handler/query', /only placeholders like \{\{input\.x\}\}\./]],
    ],
    [
      'with an unknown action of an entity',
      { handler: { type: 'entity', entity: 'order', action: 'list' } },
      [['/handler/action', /create, update, transition, delete/]],
    ],
    [
      'with an entity of no name',
      { handler: { type: 'entity', entity: 'an order', action: 'create' } },
      [['/handler/entity', /match/]],
    ],
  ])('%s is refused', async (_, changes, issues) => {
    const source = { operations: [operation(changes)] }
    await refused(
      'operations',
      { source },
      issues.map(([path, message]) => [`/body/source/operations/0${path}`, message]),
    )
  })

  test.each<[string, object, Issue[]]>([
    ['without a connection', { connection: undefined }, [['/connection', required]]],
    ['with a connection of no key', { connection: 'my shop' }, [['/connection', /match/]]],
    ['with an unknown method', { method: 'CONNECT' }, [['/method', /GET, POST, PUT, PATCH, DELETE, HEAD/]]],
    ['with a method in small letters', { method: 'get' }, [['/method', /GET/]]],
    ['with an empty path', { path: '' }, [['/path', /begin with \//]]],
    ['with a path without /', { path: 'orders' }, [['/path', /begin with \//]]],
    ['with a whole address', { path: 'https://evil.test/' }, [['/path', /begin with \//]]],
    ['with an address without a scheme', { path: '//evil.test/x' }, [['/path', /one \//]]],
    ['with a path that climbs', { path: '/a/../b' }, [['/path', /segments/]]],
    ['with a path that climbs in disguise', { path: '/a/%2E%2e/b' }, [['/path', /segments/]]],
    ['with a fragment', { path: '/a#b' }, [['/path', /no #/]]],
    ['with a backslash', { path: '/\\evil.test' }, [['/path', /\\/]]],
    ['with a line break in the path', { path: '/a\r\nX: y' }, [['/path', /line breaks/]]],
    ['with a long path', { path: `/${'x'.repeat(2048)}` }, [['/path', /2048/]]],
    [
      'with an unknown placeholder',
      { path: '/{{env.HOME}}' },
      [['/path', /\{\{input\.x\}\} and \{\{variables\.NAME\}\}/]],
    ],
    ['with the placeholder of a workflow', { path: '/{{params.x}}' }, [['/path', /only placeholders/]]],
    ['with an unfinished placeholder', { path: '/{{input.x' }, [['/path', /without its \}\}/]]],
    ['with spaces in a placeholder', { path: '/{{ input.x }}' }, [['/path', /only placeholders/]]],
    ['with the whole input', { path: '/{{input}}' }, [['/path', /only placeholders/]]],
    ['with a variable in small letters', { query: { a: '{{variables.token}}' } }, [['/query/a', /only placeholders/]]],
    ['with a number in the query', { query: { a: 1 } }, [['/query/a', /string/i]]],
    ['with a placeholder as a name', { query: { '{{input.x}}': 'a' } }, [['/query/{{input.x}}', /not in a name/]]],
    ['with a line break in a header', { headers: { 'X-A': 'a\r\nB: c' } }, [['/headers/X-A', /line break/]]],
    ['with a header of no name', { headers: { 'X A': 'a' } }, [['/headers/X A', /no name of a header/]]],
    ['with an empty header name', { headers: { '': 'a' } }, [['/headers/', /no name of a header/]]],
    ['with a header twice', { headers: { 'X-A': 'a', 'x-a': 'b' } }, [['/headers/x-a', /twice/]]],
    ['with a body and GET', { body: {} }, [['/body', /GET has none/]]],
    ['with a body and HEAD', { method: 'HEAD', body: null }, [['/body', /HEAD has none/]]],
    [
      'with bad placeholders deep in the body',
      { method: 'POST', body: { 'a/b': [{ c: '{{x}}' }], '{{input.k}}': 1 } },
      [
        ['/body/a~1b/0/c', /only placeholders/],
        ['/body/{{input.k}}', /not in a name/],
      ],
    ],
    ['with an unknown field', { follow: true }, [['/follow', noSuchField]]],
  ])('over HTTP %s is refused', async (_, changes, issues) => {
    const source = { operations: [operation({ handler: http(changes) })] }
    const at = '/body/source/operations/0/handler'
    await refused(
      'operations',
      { source },
      issues.map(([path, message]) => [at + path, message]),
    )
  })

  test.each([
    'Authorization',
    'authorization',
    'Cookie',
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Proxy-Authorization',
    'proxy-anything',
    'Connection',
  ])('over HTTP cannot set %s', async (name) => {
    const source = { operations: [operation({ handler: http({ headers: { [name]: 'x' } }) })] }
    await refused('operations', { source }, [[`/body/source/operations/0/handler/headers/${name}`, /Cannot be set/]])
  })

  test('of a name that is there already is refused', async () => {
    const source = { operations: [operation(), operation({ name: 'other' }), operation()] }
    await refused('operations', { source }, [
      ['/body/source/operations/2/name', /same as \/body\/source\/operations\/0/],
    ])
  })

  test('is needed: none is refused, and so are more than a hundred', async () => {
    await refused('operations', { source: { operations: [] } }, [['/body/source/operations', /1/]])
    const all = many(101, (index) => operation({ name: `o${index}` }))
    await refused('operations', { source: { operations: all } }, [['/body/source/operations', /100/]])
  })
})

test('all problems of a source are told at once', async () => {
  const source = {
    operations: [
      operation({ name: 'a b', timeoutMs: -1, inputSchema: { type: 'x' } }),
      operation({ handler: http({ path: 'x', headers: { Host: 'a' }, query: { q: '{{' } }) }),
      operation({ effect: undefined }),
    ],
  }
  await refused(
    'operations',
    { source, more: 1 },
    [
      ['/more', noSuchField],
      ['/source/operations/0/name', /match/],
      ['/source/operations/0/timeoutMs', /1/],
      ['/source/operations/0/inputSchema/type', /one of/],
      ['/source/operations/1/handler/path', /begin/],
      ['/source/operations/1/handler/headers/Host', /Cannot be set/],
      ['/source/operations/1/handler/query/q', /without/],
      ['/source/operations/2/effect', required],
      ['/source/operations/2/name', /same/],
    ].map(([path, message]) => [`/body${path}`, message] as Issue),
  )
})

test('schemas that are too much together are refused', async () => {
  const schema = { type: 'object', description: 'x'.repeat(30_000) }
  const source = { operations: many(5, (index) => operation({ name: `o${index}`, inputSchema: schema })) }
  await refused('operations', { source }, [['/body/source', /131,072/]])
})

describe('a workflow', () => {
  test.each<[string, object, Issue[]]>([
    ['without params', { params: undefined }, [['/params', required]]],
    ['with params that are no schema', { params: { type: 5 } }, [['/params/type', /./]]],
    ['with params that are no object', { params: { type: 'array' } }, [['/params/type', /object/]]],
    ['without steps', { steps: undefined }, [['/steps', required]]],
    ['with no steps', { steps: [] }, [['/steps', /1/]]],
    ['with 101 steps', { steps: many(101, (index) => step(`s${index}`)) }, [['/steps', /100/]]],
    ['with a step without an id', { steps: [{ operation: 'a.b' }] }, [['/steps/0/id', required]]],
    ['with a step with a dot', { steps: [step('a.b')] }, [['/steps/0/id', /match/]]],
    ['with a step twice', { steps: [step('a'), step('a')] }, [['/steps/1/id', /same as/]]],
    [
      'with an operation without a Definition',
      { steps: [step('a', { operation: 'find' })] },
      [['/steps/0/operation', /match/]],
    ],
    [
      'with an operation of three parts',
      { steps: [step('a', { operation: 'a.b.c' })] },
      [['/steps/0/operation', /match/]],
    ],
    ['with input that is a list', { steps: [step('a', { input: [] })] }, [['/steps/0/input', /object/]]],
    [
      'that waits for what is not there',
      { steps: [step('a', { after: ['b'] })] },
      [['/steps/0/after/0', /no step "b"/]],
    ],
    [
      'that waits for a step twice',
      { steps: [step('a'), step('b', { after: ['a', 'a'] })] },
      [['/steps/1/after/1', /same as/]],
    ],
    [
      'that never tries',
      { steps: [step('a', { retry: { maxAttempts: 0, backoffMs: 1 } })] },
      [['/steps/0/retry/maxAttempts', /1/]],
    ],
    [
      'that tries too often',
      { steps: [step('a', { retry: { maxAttempts: 11, backoffMs: 1 } })] },
      [['/steps/0/retry/maxAttempts', /10/]],
    ],
    [
      'that waits backwards',
      { steps: [step('a', { retry: { maxAttempts: 1, backoffMs: -1 } })] },
      [['/steps/0/retry/backoffMs', /0/]],
    ],
    [
      'that tries again without a pause',
      { steps: [step('a', { retry: { maxAttempts: 1 } })] },
      [['/steps/0/retry/backoffMs', required]],
    ],
    ['with an unknown end', { steps: [step('a', { onError: 'ignore' })] }, [['/steps/0/onError', /fail, continue/]]],
    [
      'that uses the output of what is not there',
      { steps: [step('a', { input: { x: ['{{steps.b.output.y}}'] } })] },
      [['/steps/0/input/x/0', /no step "b"/]],
    ],
    [
      'that uses the input of a step',
      { steps: [step('a'), step('b', { input: { x: '{{steps.a.input.y}}' } })] },
      [['/steps/1/input/x', /\{\{params\.x\}\} and \{\{steps\.id\.output\.x\}\}/]],
    ],
    [
      'that uses a variable',
      { steps: [step('a', { input: { x: '{{variables.X}}' } })] },
      [['/steps/0/input/x', /only/]],
    ],
    ['that gives what is not there', { output: { x: '{{steps.b.output}}' } }, [['/output/x', /no step "b"/]]],
    ['that gives an unfinished placeholder', { output: { x: '{{params.x' } }, [['/output/x', /without/]]],
    ['with an output that is text', { output: 'x' }, [['/output', /object/]]],
    ['with an unknown field', { name: 'x' }, [['/name', noSuchField]]],
    ['that waits for itself', { steps: [step('a', { after: ['a'] })] }, [['/steps/0', /: a → a\.$/]]],
    [
      'that uses its own output',
      { steps: [step('a', { input: { x: '{{steps.a.output.y}}' } })] },
      [['/steps/0', /: a → a\.$/]],
    ],
    [
      'with a circle of waiting and using',
      {
        steps: [
          step('free'),
          step('a', { after: ['c', 'free'] }),
          step('b', { input: { x: '{{steps.a.output}}' } }),
          step('c', { after: ['b'] }),
        ],
      },
      [['/steps/1', /: a → c → b → a\.$/]],
    ],
    [
      'with two circles',
      {
        steps: [
          step('a', { after: ['b'] }),
          step('b', { after: ['a'] }),
          step('c', { after: ['d'] }),
          step('d', { after: ['c'] }),
        ],
      },
      [
        ['/steps/0', /a → b → a/],
        ['/steps/2', /c → d → c/],
      ],
    ],
  ])('%s is refused', async (_, changes, issues) => {
    const source = workflow(changes)
    await refused(
      'workflow',
      { source },
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })
})

describe('an entity', () => {
  const state = (states: object, initial = 'open') => ({ initial, states })
  test.each<[string, unknown, Issue[]]>([
    ['without states', undefined, [['/states', required]]],
    ['with states that are a list', [], [['/states', /object/]]],
    ['without a beginning', { states: { open: {} } }, [['/states/initial', required]]],
    ['with a beginning that is not there', state({ open: {} }, 'new'), [['/states/initial', /none of the states/]]],
    [
      'with no states',
      state({}),
      [
        ['/states/states', /1/],
        ['/states/initial', /none/],
      ],
    ],
    ['with a state of no name', state({ open: { on: { go: 'a b' } }, 'a b': {} }), [['/states/states/a b', /name of/]]],
    ['with an empty name', state({ open: { on: { go: '' } }, '': {} }), [['/states/states/', /name of/]]],
    [
      'with a state named like the root of objects',
      JSON.parse('{"initial":"open","states":{"open":{"on":{"go":"__proto__"}},"__proto__":{}}}'),
      [['/states/states/__proto__', /name of/]],
    ],
    [
      'with an event of no name',
      state({ open: { on: { 'go on': 'open' } } }),
      [['/states/states/open/on/go on', /name of/]],
    ],
    ['with every event', state({ open: { on: { '*': 'open' } } }), [['/states/states/open/on/*', /name of/]]],
    ['with a slash', state({ open: { on: { 'a/b': 'open' } } }), [['/states/states/open/on/a~1b', /name of/]]],
    [
      'that moves to what is not there',
      state({ open: { on: { go: 'gone' } } }),
      [['/states/states/open/on/go', /no state "gone"/]],
    ],
    [
      'that moves to an object',
      state({ open: { on: { go: { target: 'open' } } } }),
      [['/states/states/open/on/go', /string/i]],
    ],
    [
      'that moves to what every object has',
      state({ open: { on: { go: 'toString' } } }),
      [['/states/states/open/on/go', /no state/]],
    ],
    [
      'that goes on after the end',
      state({ open: { on: { close: 'closed' } }, closed: { final: true, on: { open: 'open' } } }),
      [['/states/states/closed/on', /final state/]],
    ],
    [
      'with states that no way leads to',
      state({ open: { on: { close: 'closed' } }, closed: {}, lost: { on: { to: 'found' } }, found: {} }),
      [
        ['/states/states/lost', /from "open"/],
        ['/states/states/found', /from "open"/],
      ],
    ],
    ['with nested states', state({ open: { states: {} } }), [['/states/states/open/states', noSuchField]]],
    ['with actions', state({ open: { entry: 'x' } }), [['/states/states/open/entry', noSuchField]]],
    ['with a final state that is text', state({ open: { final: 'yes' } }), [['/states/states/open/final', /boolean/i]]],
    [
      'with 101 states',
      state(
        Object.fromEntries(
          many(101, (index) => [
            index === 0 ? 'open' : `s${index}`,
            { on: { go: `s${index + 1 === 101 ? 1 : index + 1}` } },
          ]),
        ),
      ),
      [['/states/states', /100/]],
    ],
    [
      'with 1,001 moves',
      state(
        Object.fromEntries([
          ['open', { on: { go: 'a' } }],
          ...many(10, (index) => [
            index === 0 ? 'a' : `s${index}`,
            { on: Object.fromEntries(many(100, (event) => [`e${event}`, event < 9 ? `s${event + 1}` : 'a'])) },
          ]),
        ]),
      ),
      [['/states/states', /1,000/]],
    ],
  ])('%s is refused', async (_, states, issues) => {
    const source = entity(states === undefined ? null : states)
    const body = { source: states === undefined ? { schema: object } : source }
    await refused(
      'entity',
      body,
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })

  test.each<[string, unknown, Issue[]]>([
    ['without a schema', undefined, [['/schema', required]]],
    ['with a schema that does not compile', { type: 'object', required: 'x' }, [['/schema/required', /./]]],
    ['with data that is no object', { type: 'string' }, [['/schema/type', /object/]]],
    ['with a schema without end', { $ref: '#' }, [['/schema', /without end/]]],
  ])('%s is refused', async (_, schema, issues) => {
    const source = { ...entity(), schema }
    await refused(
      'entity',
      { source },
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })
})
