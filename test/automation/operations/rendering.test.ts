import { describe, expect, test } from 'bun:test'
import { variablesIn } from '../../../src/authoring/definitions/placeholders.ts'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'
import {
  type PlaceholderValues,
  renderPath,
  renderText,
  renderValue,
} from '../../../src/automation/operations/rendering.ts'
import { Room } from '../../../src/automation/operations/room.ts'

const values: PlaceholderValues = {
  input: {
    id: 'A/1 ü?#&',
    count: 3,
    yes: false,
    none: null,
    empty: '',
    up: '..',
    here: '.',
    encoded: '%2e%2e',
    nested: { list: ['x', { y: 'z' }] },
    tricky: '{{variables.TOKEN}}',
    surrogate: 'a\ud800',
  },
  variables: new Map([['TOKEN', 'se cret']]),
  room: new Room(Number.MAX_SAFE_INTEGER),
}

describe('a path', () => {
  test.each([
    ['/orders/{{input.id}}', '/orders/A%2F1%20%C3%BC%3F%23%26'],
    ['/orders/{{input.count}}/{{input.yes}}', '/orders/3/false'],
    ['/{{variables.TOKEN}}.json', '/se%20cret.json'],
    ['/a/{{input.encoded}}', '/a/%252e%252e'],
    ['/a/v{{input.empty}}', '/a/v'],
    ['/a/{{input.nested.list.1.y}}', '/a/z'],
    ['/a?q={{input.id}}&r={{input.missing}}', '/a?q=A%2F1%20%C3%BC%3F%23%26&r='],
    ['/a/{{input.tricky}}', '/a/%7B%7Bvariables.TOKEN%7D%7D'],
    ['/a/{{input.surrogate}}', '/a/a%EF%BF%BD'],
  ])('%s renders to %s', (template, expected) => {
    expect(renderPath(template, values)).toBe(expected)
  })

  test.each([
    '/orders/{{input.missing}}',
    '/orders/{{input.none}}',
    '/orders/{{input.empty}}',
    '/orders/{{input.up}}',
    '/orders/{{input.here}}/all',
    '/orders/.{{input.here}}',
    '/orders/%2E{{input.here}}',
    '/orders/{{input.constructor}}',
    '/orders/{{input.nested.__proto__}}',
  ])('%s is rejected, with a message without values', (template) => {
    expect(() => renderPath(template, values)).toThrow(OperationFailure)
    try {
      renderPath(template, values)
    } catch (error) {
      expect((error as Error).message).not.toContain('..')
    }
  })
})

test.each([
  ['Bearer {{variables.TOKEN}}', 'Bearer se cret'],
  ['{{input.count}}', '3'],
  ['{{input.missing}}', undefined],
  ['{{input.none}}', undefined],
  ['a{{input.missing}}b', 'ab'],
  ['{{input.nested}}', '{"list":["x",{"y":"z"}]}'],
  ['{{input.count}}{{input.count}}', '33'],
  ['{{input.tricky}} {{input.tricky}}', '{{variables.TOKEN}} {{variables.TOKEN}}'],
])('the text %s renders to %s', (template, expected) => {
  expect(renderText(template, values)).toBe(expected as string)
})

test('a placeholder alone keeps its JSON type, and is omitted if it has no value', () => {
  const template = {
    count: '{{input.count}}',
    text: 'n = {{input.count}}',
    nested: ['{{input.nested.list}}', '{{input.none}}', '{{input.missing}}'],
    missing: '{{input.missing}}',
    literal: 7,
    none: null,
  }
  expect(JSON.parse(JSON.stringify(renderValue(template, values)))).toEqual({
    count: 3,
    text: 'n = 3',
    nested: [['x', { y: 'z' }], null, null],
    literal: 7,
    none: null,
  })
})

test('variables are found anywhere', () => {
  const handler = [
    '/{{variables.A}}',
    { x: 'y {{variables.B_1}} {{input.c}}' },
    undefined,
    { deep: [{ z: '{{variables.C}}' }] },
  ]
  expect([...variablesIn(handler)]).toEqual(['A', 'B_1', 'C'])
})
