import { expect, test } from 'bun:test'
import { cyclesOf, drawn } from '../../../src/authoring/definitions/cycles.ts'

test.each<[string, Record<string, string[]>, string[][]]>([
  ['nothing', {}, []],
  ['a chain', { a: ['b'], b: ['c'], c: [] }, []],
  ['a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ['an edge to a missing node', { a: ['x'] }, []],
  ['an edge from a node to itself', { a: ['a'] }, [['a']]],
  ['two', { a: ['b'], b: ['a'] }, [['a', 'b']]],
  ['a cycle of three with an entry', { in: ['a'], a: ['b'], b: ['c'], c: ['a'] }, [['a', 'b', 'c']]],
  [
    'the shortest of several cycles',
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

test('a cycle is rendered as a path back to its start', () => {
  expect(drawn(['a', 'b'])).toBe('a → b → a')
  expect(drawn(['a'])).toBe('a → a')
})

test('a dense graph without a cycle returns none', () => {
  const names = Array.from({ length: 100 }, (_, index) => `s${index}`)
  const graph = new Map(names.map((name, index) => [name, names.slice(index + 1)]))
  expect(cyclesOf(graph)).toEqual([])
})
