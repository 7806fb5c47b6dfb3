import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Author,
  ask,
  binding,
  builtin,
  external,
  type Issue,
  many,
  noSuchField,
  openAuthor,
  operation,
  pattern,
  required,
} from './author.ts'

let author: Author
beforeAll(async () => {
  author = await openAuthor()
})
afterAll(() => author?.stop())

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
    await author.refused(body, ...issues)
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
    ['with a fractional budget', { model: { reasoningBudget: 0.5 } }, [['/model/reasoningBudget', /integer/]]],
    ['with an unknown level', { model: { reasoningBudget: 'max' } }, [['/model/reasoningBudget', /low, medium, high/]]],
    [
      'with an unknown setting',
      { model: { settings: { maxTokens: 5 } } },
      [['/model/settings/maxTokens', noSuchField]],
    ],
    [
      'with a setting out of range',
      { model: { settings: { temperature: 3 } } },
      [['/model/settings/temperature', /2/]],
    ],
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
    await author.refused({ content: { instructions: 'Help.', ...changes } }, ...below)
  })
})

test('all problems are reported at once, wherever they are', async () => {
  await author.refused(
    {
      content: {
        instructions: '',
        maxSteps: 1000,
        model: { provider: 'acme', reasoningBudget: 'max' },
        tools: [builtin, builtin, { kind: 'builtin', name: 'bash' }, operation('a b'), ask({ type: 'text' })],
        delegates: [external('ask')],
        outputSchema: { type: 'text', properties: { a: { $ref: 'https://example.com/schema.json' }, b: 5 } },
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
  const { status, body } = await author.publish({ content: { instructions: 'Help.' }, grantedOperations })
  expect([status, body.error.details.issues.length]).toEqual([422, 100])
})

test('an issue repeats no value', async () => {
  const secret = 'sk-very-secret'
  const { body } = await author.publish({
    content: { instructions: 'Help.', model: { provider: secret }, tools: [operation(`${secret} `)] },
    grantedOperations: [secret],
  })
  expect(body.error.details.issues).toHaveLength(3)
  expect(JSON.stringify(body)).not.toContain(secret)
})

test.each<[string, string, number]>([
  ['invalid JSON', '{"content":', 400],
  ['a duplicate key', '{"content":{"instructions":"a","instructions":"b"}}', 400],
  ['nesting over 32', `{"content":{"instructions":"a","metadata":${'{"a":'.repeat(31)}1${'}'.repeat(31)}}}`, 400],
  ['a lone surrogate', '{"content":{"instructions":"\\ud800"}}', 422],
  ['no body', '', 400],
])('%s is rejected', async (_, text, status) => {
  expect((await author.send(text)).status).toBe(status)
})

test('nothing of what was rejected is published', () => {
  expect(author.published()).toEqual([])
})
