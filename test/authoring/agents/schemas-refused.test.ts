import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Author, ask, builtin, type Issue, many, openAuthor } from './author.ts'

let author: Author
beforeAll(async () => {
  author = await openAuthor()
})
afterAll(() => author?.stop())

const remote = { $ref: 'https://example.com/schema.json' }

describe('a JSON Schema', () => {
  test.each<[string, object, string, RegExp]>([
    ['of an unknown type', { type: 'text' }, '/type', /one of: array, boolean/],
    ['with invalid properties', { properties: { a: { type: 'strin' } } }, '/properties/a/type', /one of/],
    ['with a length that is text', { minLength: '5' }, '/minLength', /integer/],
    ['with required as text', { required: 'a' }, '/required', /array/],
    ['with an empty allOf', { allOf: [] }, '/allOf', /fewer than 1/],
    ['with an invalid pattern', { properties: { a: { pattern: '(' } } }, '/properties/a/pattern', /regular expression/],
    [
      'with an invalid pattern of names',
      { patternProperties: { '(': {} } },
      '/patternProperties/(',
      /regular expression/,
    ],
    ['that refers to another address', remote, '/$ref', /within the schema/],
    ['that refers to a file', { properties: { a: { $ref: 'other.json' } } }, '/properties/a/$ref', /within the schema/],
    ['that refers to a metaschema', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, '/$ref', /within/],
    ['that refers to nothing', { $ref: '#/$defs/none' }, '', /Does not compile: .*#\/\$defs\/none/],
    ['that refers to itself', { $ref: '#' }, '', /itself endlessly/],
    [
      'with circular references',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      '',
      /itself endlessly/,
    ],
    ['of an unknown draft', { $schema: 'https://example.com/draft' }, '/$schema', /2020-12, 2019-09 or draft-07/],
    ['with a $schema that is a number', { $schema: 7 }, '/$schema', /draft-07/],
    [
      'in a form that only draft-04 has',
      { $schema: 'http://json-schema.org/draft-07/schema#', minimum: 1, exclusiveMinimum: true },
      '/exclusiveMinimum',
      /number/,
    ],
    ['of more than 32,768 characters', { description: 'x'.repeat(32_768) }, '', /32,768/],
  ])('%s', async (_, schema, at, message) => {
    await author.refused({ content: { instructions: 'Help.', outputSchema: schema } }, [
      `/body/content/outputSchema${at}`,
      message,
    ])
    await author.refused({ content: { instructions: 'Help.', tools: [builtin, ask(schema)] } }, [
      `/body/content/tools/1/inputSchema${at}`,
      message,
    ])
  })

  test('that expands exponentially by its references', async () => {
    const $defs = Object.fromEntries(
      many(30, (at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]),
    )
    const outputSchema = { $ref: '#/$defs/d0', $defs: { ...$defs, d30: { type: 'string' } } }
    await author.refused({ content: { instructions: 'Help.', outputSchema } }, [
      '/body/content/outputSchema',
      /references/,
    ])
  })

  test('among many: those of a content have at most 131,072 characters together', async () => {
    const large = { description: 'x'.repeat(30_000) }
    const tools = many(5, (at) => ({ ...ask(large), name: `ask_${at}` }))
    await author.refused({ content: { instructions: 'Help.', tools } }, [
      '/body/content',
      /131,072 characters together/,
    ])
  })
})

describe('grants', () => {
  test.each<[string, unknown, Issue[]]>([
    ['that are not a list', 'agents:get', [['', /^Must be a list\.$/]]],
    ['that are null', null, [['', /^Must be a list\.$/]]],
    ['one that is a number', ['agents:get', 5], [['/1', /^Must be a text\.$/]]],
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
      'a duplicate',
      ['agents:get', 'shop.find', 'agents:get', 'shop.find'],
      [
        ['/2', /same as \/body\/grantedOperations\/0/],
        ['/3', /same as \/body\/grantedOperations\/1/],
      ],
    ],
    ['201 of them', many(201, (at) => `shop.find_${at}`), [['', /200/]]],
  ])('%s', async (_, grantedOperations, issues) => {
    const below = issues.map(([at, message]): Issue => [`/body/grantedOperations${at}`, message])
    await author.refused({ content: { instructions: 'Help.' }, grantedOperations }, ...below)
  })
})

test('nothing of what was rejected is published', () => {
  expect(author.published()).toEqual([])
})
