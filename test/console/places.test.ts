/** Addresses of the console: made and read by one scheme. */
import { expect, test } from 'bun:test'
import { at, placeIn, runAt } from '../../src/console/places.ts'
import { currentEntry, navigationOf } from '../../src/console/shell/navigation.ts'
import { durationText, relativeTime } from '../../src/console/ui/time.tsx'

test.each([
  ['/', undefined],
  ['/o/acme', { organization: 'acme' }],
  ['/o/acme/runs/run_1', { organization: 'acme' }],
  ['/o/acme/p/prj_1', { organization: 'acme', projectId: 'prj_1' }],
  ['/o/acme/p/prj_1/agents/agt_1', { organization: 'acme', projectId: 'prj_1' }],
  ['/o/acme/p/prj_1/e/env_1/events', { organization: 'acme', projectId: 'prj_1', environmentId: 'env_1' }],
])('%s is read', (path, place) => expect(placeIn(path)).toEqual(place as never))

test('an id in an address cannot change the path', () => {
  expect(at({ organization: 'acme', projectId: '../x' }, 'a b')).toBe('/o/acme/p/..%2Fx/a%20b')
})

test('a run has one address, wherever it was found', () => {
  expect(runAt({ organization: 'acme', projectId: 'prj_1', environmentId: 'env_1' }, 'run_1')).toBe(
    '/o/acme/runs/run_1',
  )
})

test.each([
  ['/o/acme', '/o/acme'],
  ['/o/acme/runs/run_1', '/o/acme/runs'],
  ['/o/acme/p/prj_1/e/env_1', '/o/acme/p/prj_1/e/env_1'],
  ['/o/acme/p/prj_1/e/env_1/webhooks/whk_1', '/o/acme/p/prj_1/e/env_1/webhooks'],
])('at %s the navigation marks %s', (path, entry) => {
  expect(currentEntry(navigationOf(placeIn(path)!), path)).toBe(entry)
})

test.each([
  [0, 'now'],
  [-65_000, '1 minute ago'],
  [-26 * 3_600_000, 'yesterday'],
  [2 * 3_600_000, 'in 2 hours'],
  [40 * 24 * 3_600_000, 'in 1 month'],
  [364 * 24 * 3_600_000, 'in 12 months'],
  [366 * 24 * 3_600_000, 'in 1 year'],
])('%d ms from now is %s', (distance, text) => expect(relativeTime(1e12 + distance, 1e12)).toBe(text))

test.each([
  [340, '340 ms'],
  [12_480, '12.5 s'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
  [604_000_000, '6 d 23 h'],
])('%d ms are %s', (milliseconds, text) => expect(durationText(milliseconds)).toBe(text))
