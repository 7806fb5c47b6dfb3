import { expect, test } from 'bun:test'
import { isAllowed, questions, shipped } from '../../licences/check.ts'
import lock from '../../package-lock.json'

const expressions: [string, boolean][] = [
  ['MIT', true],
  ['MIT-0', true],
  ['GPL-3.0-only', false],
  ['AGPL-3.0-or-later', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['UNLICENSED', false],
  ['', false],
  ['mit', false],
  ['MIT OR GPL-3.0-only', true],
  ['(GPL-2.0-only OR MIT)', true],
  ['MIT AND GPL-3.0-only', false],
  ['MIT AND ISC', true],
  ['MIT AND (GPL-3.0-only OR ISC)', true],
  ['GPL-3.0-only OR (MIT AND LGPL-3.0-only)', false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', false],
  ['(MIT', false],
  ['MIT OR', false],
  ['MIT GPL-3.0-only', false],
]
test.each(expressions)('%p: %p', (expression, expected) => {
  expect(isAllowed(expression)).toBe(expected)
})

const packages = (...licences: (string | null)[]) =>
  licences.map((licence, index) => ({ name: `package-${index}`, version: '1.0.0', licence }))

test('a package with an unknown licence, or with none, is in question', () => {
  expect(questions(packages('MIT', 'BUSL-1.1', null), {})).toEqual([
    'package-1@1.0.0 has the licence BUSL-1.1',
    'package-2@1.0.0 has the licence (none)',
  ])
})

test('an exception is for the licence that was looked at, and goes when it is not needed', () => {
  const known = { 'package-0': { licence: 'EPL-2.0', reason: 'agreed' } }
  expect(questions(packages('EPL-2.0'), known)).toEqual([])
  expect(questions(packages('GPL-3.0-only'), known)).toEqual([
    'package-0@1.0.0 has the licence GPL-3.0-only',
    'package-0 is excepted and does not ship with that licence',
  ])
  expect(questions(packages('MIT'), known)).toEqual(['package-0 is excepted and does not ship with that licence'])
})

test('what only develops does not ship; what the lock does not say is read where it is installed', () => {
  const locked = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/@scope/one': { version: '1.0.0', license: 'MIT' },
      'node_modules/one/node_modules/two': { version: '2.0.0' },
      'node_modules/three': { version: '3.0.0', license: 'GPL-3.0-only', dev: true },
    },
  }
  expect(shipped(locked, () => ({ licenses: [{ type: 'ISC' }, { type: 'MIT' }] }))).toEqual([
    { name: '@scope/one', version: '1.0.0', licence: 'MIT' },
    { name: 'two', version: '2.0.0', licence: 'ISC OR MIT' },
  ])
})

test('everything that ships has a licence that was agreed to', () => {
  const found = shipped(lock as Parameters<typeof shipped>[0])
  expect(found.length).toBeGreaterThan(100)
  expect(questions(found)).toEqual([])
})
