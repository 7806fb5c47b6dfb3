import { expect, test } from 'bun:test'
import { cyclesOf, drawn } from '../../../src/authoring/definitions/cycles.ts'

test.each<[string, Record<string, string[]>, string[][]]>([
  ['nothing', {}, []],
  ['a chain', { a: ['b'], b: ['c'], c: [] }, []],
  ['a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ['a way to what is not there', { a: ['x'] }, []],
  ['one that leads to itself', { a: ['a'] }, [['a']]],
  ['two', { a: ['b'], b: ['a'] }, [['a', 'b']]],
  ['three behind a way in', { in: ['a'], a: ['b'], b: ['c'], c: ['a'] }, [['a', 'b', 'c']]],
  [
    'the shortest of several ways',
    { a: ['b', 'c'], b: ['c'], c: ['a'] },
    [
      ['a', 'c'],
      ['b', 'c', 'a'],
    ],
  ],
  [
    'two apart',
    { a: ['b'], b: ['a'], c: ['d'], d: ['c'] },
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
])('%s', (_, graph, cycles) => {
  expect(cyclesOf(new Map(Object.entries(graph)))).toEqual(cycles)
})

test('is drawn as a way back', () => {
  expect(drawn(['a', 'b'])).toBe('a → b → a')
  expect(drawn(['a'])).toBe('a → a')
})

test('a dense graph without a cycle is looked through', () => {
  const names = Array.from({ length: 100 }, (_, index) => `s${index}`)
  const graph = new Map(names.map((name, index) => [name, names.slice(index + 1)]))
  expect(cyclesOf(graph)).toEqual([])
})
