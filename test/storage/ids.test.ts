import { expect, setSystemTime, test } from 'bun:test'
import { TypeID } from 'typeid-js'
import { firstIdAt, idOf, isId, newId } from '../../storage/ids.ts'

test('ids sort by creation, also within one millisecond', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('run'))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
test('ids stay ascending when the clock is set back', () => {
  newId('run')
  setSystemTime(new Date(Date.now() - 3_600_000))
  expect(newId('run') < firstIdAt('run', Date.now() + 1)).toBe(true)
  setSystemTime()
})
test('ids of later instants sort after earlier ones', () => {
  const instants = [0, 1, 1_000, 1_700_000_000_000, 1_700_000_000_001, 4_102_444_800_000]
  const ids = instants.map((at) => newId('att', at))
  expect(ids.toSorted()).toEqual(ids)
})
test('ids match what the library makes of the same bytes', () => {
  const edges = [0x00, 0x01, 0x7f, 0x80, 0xff].map((byte) => new Uint8Array(16).fill(byte))
  const some = Array.from({ length: 2_000 }, () => crypto.getRandomValues(new Uint8Array(16)))
  for (const bytes of [...edges, ...some]) {
    expect(idOf('run', bytes)).toBe(TypeID.fromUUIDBytes('run', bytes).toString())
  }
})
test('an id has its prefix and 26 characters', () => {
  expect(newId('org')).toMatch(/^org_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(isId('org', newId('org'))).toBe(true)
})
test.each([
  'run_',
  'run_01h',
  'agt_system_assistant',
  'run_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'run_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  'run_01hzzzzzzzzzzzzzzzzzzzzzzz\n',
  'run_01hzzzzzzzzzzzzzzzzzzzzzzu',
  '',
])('%p is not the id of a run', (text) => expect(isId('run', text)).toBe(false))
test('an id with another prefix is not accepted', () => expect(isId('run', newId('org'))).toBe(false))
