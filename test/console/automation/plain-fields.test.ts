import { expect, test } from 'bun:test'
import { plainFieldsOf, withFieldText } from '../../../src/console/pages/operations/plain-fields.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Whose.' },
    count: { type: 'integer' },
    sure: { type: 'boolean' },
    size: { enum: ['s', 'm'] },
    mixed: { enum: [1, 'a'] },
    several: { type: ['string', 'null'] },
    list: { type: 'array' },
    wrong: 3,
  },
  required: ['name'],
}
const fields = plainFieldsOf(schema)
const field = (name: string) => fields.find((one) => one.name === name)!

test('fields with a suitable control have one', () => {
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['name', 'text'],
    ['count', 'integer'],
    ['sure', 'boolean'],
    ['size', 'choice'],
  ])
  expect(fields[0]).toEqual({ name: 'name', kind: 'text', required: true, about: 'Whose.', choices: [] })
  for (const none of [undefined, null, [], true, { properties: [] }]) expect(plainFieldsOf(none)).toEqual([])
})

test.each([
  ['name', 'x', { name: 'x', list: [1] }],
  ['name', '', { name: '', list: [1] }],
  ['count', '3', { name: 'a', list: [1], count: 3 }],
  ['count', '', { name: 'a', list: [1] }],
  ['sure', true, { name: 'a', list: [1], sure: true }],
  ['size', '', { name: 'a', list: [1] }],
])('%s with %j', (name, written, expected) => {
  expect(withFieldText({ name: 'a', list: [1] }, field(name), written)).toEqual(expected)
})
