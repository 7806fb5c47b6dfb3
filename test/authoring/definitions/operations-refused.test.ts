/** Sources of operations that are rejected, and their issues; also invalid requests, whatever the kind. Source: contract 6. */
import { afterAll, beforeAll, describe, test } from 'bun:test'
import { type Definitions, type Issue, many, noSuchField, openDefinitions, required } from './refusals.ts'
import { entity, http, operation, workflow } from './sources.ts'

let definitions: Definitions
let refused: Definitions['refused']
beforeAll(async () => {
  definitions = await openDefinitions()
  refused = definitions.refused
})
afterAll(() => definitions?.stop())

describe('a request', () => {
  test.each<[string, unknown, Issue[]]>([
    ['without a source', {}, [['/body/source', required]]],
    ['with a source that is text', { source: 'x' }, [['/body/source', /object/]]],
    ['with a source that is a list', { source: [] }, [['/body/source', /object/]]],
    ['with a source that is null', { source: null }, [['/body/source', /object/]]],
    ['that is a list', [], [['/body', /object/]]],
    ['with an unknown field', { source: { operations: [operation()] }, note: 1 }, [['/body/note', noSuchField]]],
  ])('%s is rejected', async (_, body, issues) => {
    await refused('operations', body, issues)
  })

  test.each<[string, object, string[]]>([
    ['operations', workflow(), ['/operations', '/params', '/steps']],
    ['workflow', entity(), ['/params', '/steps', '/schema', '/states']],
    ['entity', { operations: [operation()] }, ['/schema', '/states', '/operations']],
  ])('for %s with the source of another kind is rejected', async (kind, source, fields) => {
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
    ['with an invalid input schema', { inputSchema: { type: 'thing' } }, [['/inputSchema/type', /one of/]]],
    ['with an input that is not an object', { inputSchema: { type: 'string' } }, [['/inputSchema/type', /object/]]],
    [
      'with a schema with a dangling reference',
      { outputSchema: { $ref: '#/$defs/none' } },
      [['/outputSchema', /compile/]],
    ],
    [
      'with a schema with a remote reference',
      { outputSchema: { $ref: 'https://x.test/y' } },
      [['/outputSchema/$ref', /within/]],
    ],
    ['with an unknown effect', { effect: 'delete' }, [['/effect', /read, write/]]],
    ['with idempotent as text', { idempotent: 'yes' }, [['/idempotent', /^Must be true or false\.$/]]],
    ['with an unknown approval', { approval: 'sometimes' }, [['/approval', /never, always/]]],
    ['without time', { timeoutMs: 0 }, [['/timeoutMs', /1/]]],
    ['with more than 120 seconds', { timeoutMs: 120_001 }, [['/timeoutMs', /120000/]]],
    ['with fractional milliseconds', { timeoutMs: 1.5 }, [['/timeoutMs', /integer/]]],
    ['with an unknown field', { retries: 1 }, [['/retries', noSuchField]]],
    ['without a handler', { handler: undefined }, [['/handler', required]]],
    [
      'with an unknown handler',
      { handler: { type: 'sql' } },
      [['/handler/type', /http, mcp, agent, entity, worker, echo/]],
    ],
    ['with an echo with an extra field', { handler: { type: 'echo', input: 1 } }, [['/handler/input', noSuchField]]],
    [
      'with an Agent by an invalid slug',
      { handler: { type: 'agent', agent: 'Support Desk', query: 'x' } },
      [['/handler/agent', /match/]],
    ],
    ['with an Agent and no query', { handler: { type: 'agent', agent: 'desk' } }, [['/handler/query', required]]],
    [
      'with a variable in the query for an Agent',
      { handler: { type: 'agent', agent: 'desk', query: '{{variables.TOKEN}}' } },
      [['/handler/query', /only placeholders like \{\{input\.x\}\}\./]],
    ],
    [
      'with an unknown action of an entity',
      { handler: { type: 'entity', entity: 'order', action: 'list' } },
      [['/handler/action', /create, update, transition, delete/]],
    ],
    [
      'with an entity of an invalid name',
      { handler: { type: 'entity', entity: 'an order', action: 'create' } },
      [['/handler/entity', /match/]],
    ],
  ])('%s is rejected', async (_, changes, issues) => {
    const source = { operations: [operation(changes)] }
    await refused(
      'operations',
      { source },
      issues.map(([path, message]) => [`/body/source/operations/0${path}`, message]),
    )
  })

  test.each<[string, object, Issue[]]>([
    ['without a connection', { connection: undefined }, [['/connection', required]]],
    ['with an invalid connection key', { connection: 'my shop' }, [['/connection', /match/]]],
    ['with an unknown method', { method: 'CONNECT' }, [['/method', /GET, POST, PUT, PATCH, DELETE, HEAD/]]],
    ['with a method in lower case', { method: 'get' }, [['/method', /GET/]]],
    ['with an empty path', { path: '' }, [['/path', /begin with \//]]],
    ['with a path without /', { path: 'orders' }, [['/path', /begin with \//]]],
    ['with an absolute URL', { path: 'https://evil.test/' }, [['/path', /begin with \//]]],
    ['with a URL without a scheme', { path: '//evil.test/x' }, [['/path', /one \//]]],
    ['with a path with ..', { path: '/a/../b' }, [['/path', /segments/]]],
    ['with a path with encoded ..', { path: '/a/%2E%2e/b' }, [['/path', /segments/]]],
    ['with a fragment', { path: '/a#b' }, [['/path', /no #/]]],
    ['with a backslash', { path: '/\\evil.test' }, [['/path', /\\/]]],
    ['with a line break in the path', { path: '/a\r\nX: y' }, [['/path', /line breaks/]]],
    ['with a long path', { path: `/${'x'.repeat(2048)}` }, [['/path', /2048/]]],
    [
      'with an unknown placeholder',
      { path: '/{{env.HOME}}' },
      [['/path', /\{\{input\.x\}\}, \{\{run\.context\.x\}\}, or \{\{variables\.NAME\}\}/]],
    ],
    ['with the placeholder of a workflow', { path: '/{{params.x}}' }, [['/path', /only placeholders/]]],
    ['with an unfinished placeholder', { path: '/{{input.x' }, [['/path', /without its \}\}/]]],
    ['with spaces in a placeholder', { path: '/{{ input.x }}' }, [['/path', /only placeholders/]]],
    ['with the whole input', { path: '/{{input}}' }, [['/path', /only placeholders/]]],
    ['with a variable in lower case', { query: { a: '{{variables.token}}' } }, [['/query/a', /only placeholders/]]],
    ['with a number in the query', { query: { a: 1 } }, [['/query/a', /^Must be a text\.$/]]],
    ['with a placeholder as a name', { query: { '{{input.x}}': 'a' } }, [['/query/{{input.x}}', /not in a name/]]],
    ['with a line break in a header', { headers: { 'X-A': 'a\r\nB: c' } }, [['/headers/X-A', /line break/]]],
    ['with an invalid header name', { headers: { 'X A': 'a' } }, [['/headers/X A', /no name of a header/]]],
    ['with an empty header name', { headers: { '': 'a' } }, [['/headers/', /no name of a header/]]],
    ['with a duplicate header', { headers: { 'X-A': 'a', 'x-a': 'b' } }, [['/headers/x-a', /twice/]]],
    ['with a body and GET', { body: {} }, [['/body', /GET has none/]]],
    ['with a body and HEAD', { method: 'HEAD', body: null }, [['/body', /HEAD has none/]]],
    [
      'with invalid placeholders deep in the body',
      { method: 'POST', body: { 'a/b': [{ c: '{{x}}' }], '{{input.k}}': 1 } },
      [
        ['/body/a~1b/0/c', /only placeholders/],
        ['/body/{{input.k}}', /not in a name/],
      ],
    ],
    ['with an unknown field', { follow: true }, [['/follow', noSuchField]]],
  ])('over HTTP %s is rejected', async (_, changes, issues) => {
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

  test('with a duplicate name is rejected', async () => {
    const source = { operations: [operation(), operation({ name: 'other' }), operation()] }
    await refused('operations', { source }, [
      ['/body/source/operations/2/name', /same as \/body\/source\/operations\/0/],
    ])
  })

  test('is required: none is rejected, and so are more than a hundred', async () => {
    await refused('operations', { source: { operations: [] } }, [['/body/source/operations', /1/]])
    const all = many(101, (index) => operation({ name: `o${index}` }))
    await refused('operations', { source: { operations: all } }, [['/body/source/operations', /100/]])
  })
})

test('all problems of a source are reported at once', async () => {
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

test('schemas that are too large together are rejected', async () => {
  const schema = { type: 'object', description: 'x'.repeat(30_000) }
  const source = { operations: many(5, (index) => operation({ name: `o${index}`, inputSchema: schema })) }
  await refused('operations', { source }, [['/body/source', /131,072/]])
})
