import { describe, expect, test } from 'bun:test'
import {
  placeholderIssues,
  placeholdersIn,
  type Root,
  readPlaceholder,
  stepsNamed,
} from '../../../src/authoring/definitions/placeholders.ts'

const all: readonly Root[] = ['input', 'variables', 'params', 'steps']

test.each<[string, (string | undefined)[]]>([
  ['', []],
  ['plain', []],
  ['{"a":{"b":1}}', []],
  ['{{input.x}}', ['input.x']],
  ['a{{input.x}}b{{variables.Y}}', ['input.x', 'variables.Y']],
  ['{{input.x', [undefined]],
  ['{{a}}{{', ['a', undefined]],
  ['{{{a}}}', ['{a']],
  ['{{}}', ['']],
])('%p contains %p', (text, found) => {
  expect(placeholdersIn(text)).toEqual(found)
})

describe('the text between the braces', () => {
  test.each<[string, Root, string[]]>([
    ['input.x', 'input', ['x']],
    ['input.order.lines.0.id', 'input', ['order', 'lines', '0', 'id']],
    ['variables.API_TOKEN', 'variables', ['API_TOKEN']],
    ['params.x-y', 'params', ['x-y']],
    ['steps.find.output', 'steps', ['find', 'output']],
    ['steps.find.output.id', 'steps', ['find', 'output', 'id']],
  ])('%s is a placeholder', (inner, root, path) => {
    expect(readPlaceholder(inner, all)).toEqual({ root, path })
  })

  test.each([
    '',
    'input',
    'input.',
    'input..x',
    ' input.x ',
    'input.a b',
    'input[0]',
    'Input.x',
    'variables.lower',
    'variables.A.B',
    'variables.',
    'params',
    'steps.find',
    'steps.find.input.x',
    'steps.output.x.y',
    'env.X',
    'input.x}',
    `input.${'x'.repeat(65)}`,
  ])('%p is not a placeholder', (inner) => {
    expect(readPlaceholder(inner, all)).toBeUndefined()
  })

  test('only the requested roots count', () => {
    expect(readPlaceholder('variables.X', ['input'])).toBeUndefined()
  })
})

test('a very long placeholder is refused by its length, before its parts are looked at', () => {
  const message = 'Has a placeholder of more than 4,096 characters.'
  const long = `params${'.a'.repeat(2_045)}`
  expect(placeholderIssues(`{{${long}}}`, '/body', ['params'])).toEqual([])
  expect(placeholderIssues(`{{${long}.b.c}}`, '/body', ['params'])).toEqual([{ path: '/body', message }])
  expect(readPlaceholder(`${long}.b.c`, ['params'])).toBeUndefined()
})

test('each text is reported once, wherever it is', () => {
  const value = {
    'a/b': ['{{input.x}}', '{{nope}} {{neither}}'],
    '{{input.x}}': 1,
    deep: { er: 'x {{' },
    n: 5,
    z: null,
  }
  expect(placeholderIssues(value, '/body', ['input'])).toEqual([
    { path: '/body/a~1b/1', message: 'Takes only placeholders like {{input.x}}.' },
    { path: '/body/{{input.x}}', message: 'A placeholder stands in a value, not in a name.' },
    { path: '/body/deep/er', message: 'Has a {{ without its }}.' },
  ])
})

test('the steps that a value refers to', () => {
  const value = { a: '{{steps.one.output.x}} {{params.p}} {{steps.two.output}}', b: ['{{steps.one.output}}', 1] }
  expect(stepsNamed(value, '/input')).toEqual([
    { path: '/input/a', step: 'one' },
    { path: '/input/a', step: 'two' },
    { path: '/input/b/0', step: 'one' },
  ])
})

test('a megabyte of open braces is scanned once', () => {
  expect(placeholdersIn('{'.repeat(1_000_000))).toEqual([undefined])
})
