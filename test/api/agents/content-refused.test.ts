import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../projects/world.ts'

let world: World
let path: string

beforeAll(async () => {
  world = await openWorld()
  const project = await world.project()
  const { body } = await world.owner.post(`${project.path}/agents`, { slug: 'agent', name: 'Agent' })
  path = `${project.path}/agents/${body.data.id}/revisions`
})
afterAll(() => world.stop())

type Issue = [path: string, message: RegExp]

const agentId = 'agt_01h455vb4pex5vsknk084sn02q'
const builtin = { kind: 'builtin', name: 'clock' }
const echo = { kind: 'builtin', name: 'echo' }
const operation = (name: string) => ({ kind: 'operation', name, operation: 'shop.find' })
const ask = (inputSchema: unknown) => ({ kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema })
const external = (name: string) => ({ name, description: 'Somebody.', external: true })
const binding = (changes: object) => ({ bindingKey: 'shop', kind: 'connection', required: true, ...changes })
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at))

const required = /^Is required\.$/
const noSuchField = /^There is no such field\.$/
const pattern = /match/

/** Refuses the body with exactly these issues, and publishes nothing. */
async function refused(body: unknown, ...expected: Issue[]) {
  const reply = await world.owner.post(path, body)
  expect(reply.status).toBe(422)
  expect(reply.body.error.code).toBe('validation_failed')
  const issues = reply.body.error.details.issues as { path: string; message: string }[]
  expect(issues.map((issue) => issue.path).sort()).toEqual(expected.map(([at]) => at).sort())
  for (const [at, message] of expected) expect(issues.find((issue) => issue.path === at)?.message).toMatch(message)
}

describe('a request', () => {
  test.each<[string, unknown, Issue[]]>([
    ['without content', {}, [['/body/content', required]]],
    ['with a content that is text', { content: 'Help.' }, [['/body/content', /object/]]],
    ['with a content that is a list', { content: [] }, [['/body/content', /object/]]],
    ['with a content that is null', { content: null }, [['/body/content', /object/]]],
    ['that is a list', [], [['/body', /object/]]],
    ['that is null', null, [['/body', /object/]]],
    ['with an unknown field', { content: { instructions: 'a' }, note: 'x' }, [['/body/note', noSuchField]]],
  ])('%s', async (_, body, issues) => {
    await refused(body, ...issues)
  })
})

describe('a content', () => {
  test.each<[string, object, Issue[]]>([
    ['without instructions', { instructions: undefined }, [['/instructions', required]]],
    ['with empty instructions', { instructions: '' }, [['/instructions', /1 to 100,000 characters/]]],
    ['with long instructions', { instructions: 'x'.repeat(100_001) }, [['/instructions', /100,000/]]],
    ['with instructions that are a number', { instructions: 5 }, [['/instructions', /text/]]],
    ['with an unknown field', { temperature: 1 }, [['/temperature', noSuchField]]],
    ['with maxSteps 0', { maxSteps: 0 }, [['/maxSteps', /1/]]],
    ['with maxSteps 101', { maxSteps: 101 }, [['/maxSteps', /100/]]],
    ['with maxSteps 1.5', { maxSteps: 1.5 }, [['/maxSteps', /integer/]]],
    ['with maxSteps as text', { maxSteps: '5' }, [['/maxSteps', /integer/]]],
    ['with metadata that is a list', { metadata: [] }, [['/metadata', /object/]]],

    ['with an unknown vendor', { model: { provider: 'acme' } }, [['/model/provider', /one of: anthropic, openai/]]],
    ['with the sandbox as vendor', { model: { provider: 'sandbox' } }, [['/model/provider', /one of/]]],
    ['with an empty model name', { model: { model: '' } }, [['/model/model', pattern]]],
    ['with a model name with spaces', { model: { model: 'gpt 5' } }, [['/model/model', pattern]]],
    [
      'with a negative budget',
      { model: { reasoningBudget: -1 } },
      [['/model/reasoningBudget', /0 to 100,000, or one of/]],
    ],
    ['with a budget over 100,000', { model: { reasoningBudget: 100_001 } }, [['/model/reasoningBudget', /100,000/]]],
    ['with half a token', { model: { reasoningBudget: 0.5 } }, [['/model/reasoningBudget', /integer/]]],
    ['with an unknown level', { model: { reasoningBudget: 'max' } }, [['/model/reasoningBudget', /low, medium, high/]]],
    ['with settings that are text', { model: { settings: 'x' } }, [['/model/settings', /object/]]],
    ['with an unknown field of the model', { model: { apiKey: 'x' } }, [['/model/apiKey', noSuchField]]],

    [
      'with a long display name',
      { presentation: { displayName: 'x'.repeat(201) } },
      [['/presentation/displayName', /200/]],
    ],
    ['with a long greeting', { presentation: { greeting: 'x'.repeat(2001) } }, [['/presentation/greeting', /2,000/]]],
    [
      'with an empty suggestion',
      { presentation: { suggestedQueries: ['a', ''] } },
      [['/presentation/suggestedQueries/1', /1 to 500/]],
    ],
    [
      'with 21 suggestions',
      { presentation: { suggestedQueries: many(21, String) } },
      [['/presentation/suggestedQueries', /20/]],
    ],
    [
      'with an unknown field of the presentation',
      { presentation: { icon: 'x' } },
      [['/presentation/icon', noSuchField]],
    ],

    [
      'with a binding without key',
      { bindings: [binding({ bindingKey: undefined })] },
      [['/bindings/0/bindingKey', required]],
    ],
    [
      'with a binding key with spaces',
      { bindings: [binding({ bindingKey: 'a b' })] },
      [['/bindings/0/bindingKey', pattern]],
    ],
    [
      'with two equal binding keys',
      { bindings: [binding({}), binding({ kind: 'variable' })] },
      [['/bindings/1/bindingKey', /same as \/body\/content\/bindings\/0\/bindingKey/]],
    ],
    [
      'with an unknown kind of binding',
      { bindings: [binding({ kind: 'file' })] },
      [['/bindings/0/kind', /connection, variable/]],
    ],
    [
      'with an unknown kind of connection',
      { bindings: [binding({ connectionKind: 'ftp' })] },
      [['/bindings/0/connectionKind', /http, database, object_storage, messaging, custom/]],
    ],
    [
      'with a kind of connection for a variable',
      { bindings: [binding({ kind: 'variable', connectionKind: 'http' })] },
      [['/bindings/0/connectionKind', /kind connection only/]],
    ],
    [
      'with a binding without required',
      { bindings: [binding({ required: undefined })] },
      [['/bindings/0/required', required]],
    ],
    ['with a secret in a binding', { bindings: [binding({ value: 'x' })] }, [['/bindings/0/value', noSuchField]]],
  ])('%s', async (_, changes, issues) => {
    const below = issues.map(([at, message]): Issue => [`/body/content${at}`, message])
    await refused({ content: { instructions: 'Help.', ...changes } }, ...below)
  })
})

describe('tools', () => {
  test.each<[string, unknown, Issue[]]>([
    ['that are no list', {}, [['', /array/]]],
    ['65 of them', many(65, (at) => operation(`tool_${at}`)), [['', /64/]]],
    ['one that is text', ['clock'], [['/0', /./]]],
    ['one without kind', [{ name: 'a' }], [['/0/kind', /one of: operation, interactive, builtin/]]],
    [
      'one of an unknown kind',
      [builtin, { kind: 'mcp', name: 'a' }],
      [['/1/kind', /one of: operation, interactive, builtin/]],
    ],
    [
      'an unknown builtin',
      [builtin, { kind: 'builtin', name: 'bash' }],
      [['/1/name', /one of: clock, calculator, echo/]],
    ],
    ['a builtin with a schema', [{ ...builtin, inputSchema: {} }], [['/0/inputSchema', noSuchField]]],
    ['a name with a space', [builtin, echo, operation('x'), operation('a b')], [['/3/name', pattern]]],
    ['a name of 65 characters', [operation('x'.repeat(65))], [['/0/name', pattern]]],
    ['an empty name', [operation('')], [['/0/name', pattern]]],
    ['two equal names', [operation('clock'), builtin], [['/1/name', /same as \/body\/content\/tools\/0\/name/]]],
    ['an operation without its name', [{ kind: 'operation', name: 'a' }], [['/0/operation', required]]],
    ['an operation without its definition', [{ ...operation('a'), operation: 'find' }], [['/0/operation', pattern]]],
    ['an operation with three parts', [{ ...operation('a'), operation: 'a.b.c' }], [['/0/operation', pattern]]],
    ['an operation with a bad part', [{ ...operation('a'), operation: 'shop.fi nd' }], [['/0/operation', pattern]]],
    [
      'a question without anything',
      [{ kind: 'interactive', name: 'ask' }],
      [
        ['/0/description', required],
        ['/0/inputSchema', required],
      ],
    ],
    ['a long description', [{ ...ask({}), description: 'x'.repeat(2001) }], [['/0/description', /2000/]]],
    ['a schema that is text', [ask('object')], [['/0/inputSchema', /object/]]],
    ['a schema that is true', [ask(true)], [['/0/inputSchema', /object/]]],
    ['a schema for a list', [ask({ type: 'array' })], [['/0/inputSchema/type', /Must be object/]]],
  ])('%s', async (_, tools, issues) => {
    const below = issues.map(([at, message]): Issue => [`/body/content/tools${at}`, message])
    await refused({ content: { instructions: 'Help.', tools } }, ...below)
  })
})

describe('delegates', () => {
  test.each<[string, unknown[], Issue[]]>([
    ['17 of them', many(17, (at) => external(`d${at}`)), [['', /16/]]],
    ['one who is nobody', [{ name: 'a', description: '' }], [['/0/agentId', required]]],
    ['one who is two', [{ ...external('a'), agentId }], [['/0/agentId', noSuchField]]],
    ['one who is not external', [{ ...external('a'), external: false }], [['/0/external', /true/]]],
    [
      'an id of something else',
      [{ name: 'a', description: '', agentId: 'prj_01h455vb4pex5vsknk084sn02q' }],
      [['/0/agentId', pattern]],
    ],
    ['a System Agent', [{ name: 'a', description: '', agentId: 'agt_system_assistant' }], [['/0/agentId', pattern]]],
    [
      'a slug',
      [{ name: 'a', description: '', agent: 'critic' }],
      [
        ['/0/agentId', required],
        ['/0/agent', noSuchField],
      ],
    ],
    ['one without description', [{ name: 'a', agentId }], [['/0/description', required]]],
    ['a bad name', [external('a.b')], [['/0/name', pattern]]],
    [
      'two equal names',
      [external('a'), external('b'), external('a')],
      [['/2/name', /same as \/body\/content\/delegates\/0\/name/]],
    ],
    ['the name of a tool', [external('clock')], [['/0/name', /same as \/body\/content\/tools\/0\/name/]]],
  ])('%s', async (_, delegates, issues) => {
    const below = issues.map(([at, message]): Issue => [`/body/content/delegates${at}`, message])
    await refused({ content: { instructions: 'Help.', tools: [builtin], delegates } }, ...below)
  })
})

const remote = { $ref: 'https://example.com/schema.json' }

describe('a JSON Schema', () => {
  test.each<[string, object, string, RegExp]>([
    ['of an unknown type', { type: 'text' }, '/type', /one of: array, boolean/],
    ['with properties that are none', { properties: { a: { type: 'strin' } } }, '/properties/a/type', /one of/],
    ['with a length that is text', { minLength: '5' }, '/minLength', /integer/],
    ['with required as text', { required: 'a' }, '/required', /array/],
    ['with allOf that is empty', { allOf: [] }, '/allOf', /fewer than 1/],
    [
      'with a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      '/properties/a/pattern',
      /regular expression/,
    ],
    [
      'with a pattern of names that is none',
      { patternProperties: { '(': {} } },
      '/patternProperties/(',
      /regular expression/,
    ],
    ['that refers to another address', remote, '/$ref', /within the schema/],
    ['that refers to a file', { properties: { a: { $ref: 'other.json' } } }, '/properties/a/$ref', /within the schema/],
    ['that refers to a metaschema', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, '/$ref', /within/],
    ['that refers to nothing', { $ref: '#/$defs/none' }, '', /Does not compile: .*#\/\$defs\/none/],
    ['that refers to itself', { $ref: '#' }, '', /itself without end/],
    [
      'that goes in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      '',
      /itself without end/,
    ],
    ['of an unknown draft', { $schema: 'https://example.com/draft' }, '/$schema', /2020-12, 2019-09 or draft-07/],
    ['with a $schema that is a number', { $schema: 7 }, '/$schema', /draft-07/],
    [
      'in a way that only draft-04 knew',
      { $schema: 'http://json-schema.org/draft-07/schema#', minimum: 1, exclusiveMinimum: true },
      '/exclusiveMinimum',
      /number/,
    ],
    ['of more than 32,768 characters', { description: 'x'.repeat(32_768) }, '', /32,768/],
  ])('%s', async (_, schema, at, message) => {
    await refused({ content: { instructions: 'Help.', outputSchema: schema } }, [
      `/body/content/outputSchema${at}`,
      message,
    ])
    await refused({ content: { instructions: 'Help.', tools: [builtin, ask(schema)] } }, [
      `/body/content/tools/1/inputSchema${at}`,
      message,
    ])
  })

  test('that multiplies itself by its references', async () => {
    const $defs = Object.fromEntries(
      many(30, (at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]),
    )
    const outputSchema = { $ref: '#/$defs/d0', $defs: { ...$defs, d30: { type: 'string' } } }
    await refused({ content: { instructions: 'Help.', outputSchema } }, ['/body/content/outputSchema', /references/])
  })

  test('among many: all of a content have 131,072 characters together', async () => {
    const large = { description: 'x'.repeat(30_000) }
    const tools = many(5, (at) => ({ ...ask(large), name: `ask_${at}` }))
    await refused({ content: { instructions: 'Help.', tools } }, ['/body/content', /131,072 characters together/])
  })
})

describe('grants', () => {
  test.each<[string, unknown, Issue[]]>([
    ['that are no list', 'agents:get', [['', /array/]]],
    ['that are null', null, [['', /array/]]],
    ['one that is a number', ['agents:get', 5], [['/1', /string/]]],
    [
      'unknown ones',
      ['agents:fly', 'agents:get', 'nothing', '', 'a.b.c', 'shop.fi nd'],
      [
        ['/0', /Is neither/],
        ['/2', /Is neither/],
        ['/3', /Is neither/],
        ['/4', /Is neither/],
        ['/5', /Is neither/],
      ],
    ],
    [
      'a family',
      ['agents:*', '*'],
      [
        ['/0', /Is neither/],
        ['/1', /Is neither/],
      ],
    ],
    [
      'the same one twice',
      ['agents:get', 'shop.find', 'agents:get', 'shop.find'],
      [
        ['/2', /same as \/body\/grantedOperations\/0/],
        ['/3', /same as \/body\/grantedOperations\/1/],
      ],
    ],
    ['201 of them', many(201, (at) => `shop.find_${at}`), [['', /200/]]],
  ])('%s', async (_, grantedOperations, issues) => {
    const below = issues.map(([at, message]): Issue => [`/body/grantedOperations${at}`, message])
    await refused({ content: { instructions: 'Help.' }, grantedOperations }, ...below)
  })
})

test('all problems are told at once, wherever they are', async () => {
  await refused(
    {
      content: {
        instructions: '',
        maxSteps: 1000,
        model: { provider: 'acme', reasoningBudget: 'max' },
        tools: [builtin, builtin, { kind: 'builtin', name: 'bash' }, operation('a b'), ask({ type: 'text' })],
        delegates: [external('ask')],
        outputSchema: { type: 'text', properties: { a: remote, b: 5 } },
        bindings: [binding({}), binding({ kind: 'variable', connectionKind: 'http' })],
        extra: 1,
      },
      grantedOperations: ['agents:fly'],
      note: 1,
    },
    ['/body/note', noSuchField],
    ['/body/content/extra', noSuchField],
    ['/body/content/instructions', /1 to/],
    ['/body/content/maxSteps', /100/],
    ['/body/content/model/provider', /one of/],
    ['/body/content/model/reasoningBudget', /0 to/],
    ['/body/content/tools/1/name', /same/],
    ['/body/content/tools/2/name', /one of/],
    ['/body/content/tools/3/name', pattern],
    ['/body/content/tools/4/inputSchema/type', /one of/],
    ['/body/content/delegates/0/name', /same/],
    ['/body/content/outputSchema/type', /one of/],
    ['/body/content/outputSchema/properties/a/$ref', /within the schema/],
    ['/body/content/outputSchema/properties/b', /./],
    ['/body/content/bindings/1/bindingKey', /same/],
    ['/body/content/bindings/1/connectionKind', /only/],
    ['/body/grantedOperations/0', /neither/],
  )
})

test('up to a hundred problems are listed', async () => {
  const grantedOperations = many(200, (at) => `agents:fly-${at}`)
  const { status, body } = await world.owner.post(path, { content: { instructions: 'Help.' }, grantedOperations })
  expect([status, body.error.details.issues.length]).toEqual([422, 100])
})

test('an issue repeats no value', async () => {
  const secret = 'sk-very-secret'
  const { body } = await world.owner.post(path, {
    content: { instructions: 'Help.', model: { provider: secret }, tools: [operation(`${secret} `)] },
    grantedOperations: [secret],
  })
  expect(body.error.details.issues).toHaveLength(3)
  expect(JSON.stringify(body)).not.toContain(secret)
})

test.each<[string, string, number]>([
  ['JSON that is none', '{"content":', 400],
  ['a key that is given twice', '{"content":{"instructions":"a","instructions":"b"}}', 400],
  ['nesting over 32', `{"content":{"instructions":"a","metadata":${'{"a":'.repeat(31)}1${'}'.repeat(31)}}}`, 400],
  ['half a surrogate pair', '{"content":{"instructions":"\\ud800"}}', 422],
  ['no body', '', 400],
])('%s is refused', async (_, text, status) => {
  const headers = { 'content-type': 'application/json' }
  expect((await world.owner.call('POST', path, text, { headers })).status).toBe(status)
})

test('nothing of what was refused is published', () => {
  expect(world.rows('select 1 from agent_revisions')).toEqual([])
})
