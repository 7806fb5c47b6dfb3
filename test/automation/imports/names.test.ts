/** Names of imported operations and inputs, made from the texts of a document. */
import { expect, test } from 'bun:test'
import { Names } from '../../../src/automation/imports/names.ts'

test('duplicates are numbered, after names that are taken otherwise', () => {
  const names = new Names()
  expect(names.of('list_2')).toBe('list_2')
  expect(['list', 'list', 'list_2', 'list', 'a b', 'a.b'].map((text) => names.of(text))).toEqual([
    'list',
    'list_3',
    'list_2_2',
    'list_4',
    'a_b',
    'a_b_2',
  ])
})

test('a text that is there three hundred thousand times takes one look at each', () => {
  const names = new Names()
  for (let count = 1; count < 300_000; count += 1) names.of('same')
  expect(names.of('same')).toBe('same_300000')
})

test('signs at both ends are dropped', () => {
  expect(new Names().of('__/list/__')).toBe('list')
  expect(new Names().of('…')).toBe('unnamed')
})
