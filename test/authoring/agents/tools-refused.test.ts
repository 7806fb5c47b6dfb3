import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Author,
  agentId,
  ask,
  builtin,
  echo,
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

describe('tools', () => {
  test.each<[string, unknown, Issue[]]>([
    ['that are not a list', {}, [['', /^Must be a list\.$/]]],
    ['65 of them', many(65, (at) => operation(`tool_${at}`)), [['', /64/]]],
    ['one that is text', ['clock'], [['/0', /./]]],
    ['one without kind', [{ name: 'a' }], [['/0/kind', /one of: operation, workflow, interactive, builtin/]]],
    [
      'one of an unknown kind',
      [builtin, { kind: 'mcp', name: 'a' }],
      [['/1/kind', /one of: operation, workflow, interactive, builtin/]],
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
    ['a workflow without its name', [{ kind: 'workflow', name: 'a' }], [['/0/workflow', required]]],
    ['a workflow with a bad name', [{ kind: 'workflow', name: 'a', workflow: 'fi nd' }], [['/0/workflow', pattern]]],
    [
      'an interactive tool without fields',
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
    await author.refused({ content: { instructions: 'Help.', tools } }, ...below)
  })
})

describe('delegates', () => {
  test.each<[string, unknown[], Issue[]]>([
    ['17 of them', many(17, (at) => external(`d${at}`)), [['', /16/]]],
    ['one without a target', [{ name: 'a', description: '' }], [['/0/agentId', required]]],
    ['one with two targets', [{ ...external('a'), agentId }], [['/0/agentId', noSuchField]]],
    ['one with external set to false', [{ ...external('a'), external: false }], [['/0/external', /true/]]],
    [
      'an id of another type',
      [{ name: 'a', description: '', agentId: 'prj_01h455vb4pex5vsknk084sn02q' }],
      [['/0/agentId', /an id such as agt_/]],
    ],
    [
      'a System Agent',
      [{ name: 'a', description: '', agentId: 'agt_system_assistant' }],
      [['/0/agentId', /an id such as agt_/]],
    ],
    ['no slug', [{ name: 'a', description: '', agent: 'The Critic' }], [['/0/agent', /lower-case/]]],
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
    await author.refused({ content: { instructions: 'Help.', tools: [builtin], delegates } }, ...below)
  })
})

test('nothing of what was rejected is published', () => {
  expect(author.published()).toEqual([])
})
