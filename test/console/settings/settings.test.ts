/** Validation and texts of the settings, without a server. */
import { expect, test } from 'bun:test'
import { probeErrors } from '../../../src/accounts/integrations/refusals.ts'
import { outcomeCodes } from '../../../src/accounts/oauth/return-to.ts'
import { ApiFailure } from '../../../src/console/api/failure.ts'
import {
  familiesOf,
  grantPermissions,
  isReading,
  keyPermissions,
  shortened,
} from '../../../src/console/pages/settings/access/permission-families.ts'
import { priceText } from '../../../src/console/pages/settings/billing/price.ts'
import { outcomeWords } from '../../../src/console/pages/settings/connections/connect-words.ts'
import { linesFrom, settingsIn } from '../../../src/console/pages/settings/connections/connection-kinds.ts'
import { adviceFor } from '../../../src/console/pages/settings/connections/integration-words.ts'
import { objectIn } from '../../../src/console/pages/settings/invalid-field.ts'
import { instantOf, localOf } from '../../../src/console/ui/instants.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { readOperations } from '../../../src/tenancy/api-keys/operations.ts'

const fieldsOf = (fields: Record<string, string>) => (name: string) => fields[name] ?? ''

function failureOf(act: () => unknown): ApiFailure {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof ApiFailure) return thrown
    throw thrown
  }
  throw new Error('nothing was found wrong')
}

test('every permission is in one family', () => {
  const families = familiesOf(permissions)
  expect(families.flatMap((family) => family.permissions).sort()).toEqual([...permissions].sort())
  expect(families.find(({ name }) => name === 'env:variables')?.permissions).toHaveLength(5)
})

test.each([
  ['nothing', []],
  ['one', ['projects:get']],
  ['a whole family', keyPermissions.filter((name) => name.startsWith('agent-runs:'))],
  ['all of them', [...keyPermissions]],
])('the names sent for %s mean the same permissions to the server', (_, chosen) => {
  const names = shortened(new Set(chosen), keyPermissions)
  expect(names.length).toBeLessThanOrEqual(100)
  expect(readOperations(names)).toEqual({ operations: chosen as never, unknown: [] })
})

test('reading changes nothing', () => {
  expect(keyPermissions.filter(isReading).filter((name) => /create|update|delete|manage|revoke/.test(name))).toEqual([])
})

test('a grant offers no permission for the organization as a whole', () => {
  expect(
    grantPermissions.filter((name) => /^(organizations|api-keys|billing|provider-credentials):/.test(name)),
  ).toEqual([])
})

test.each([
  [{ amount: 4900, currency: 'usd' }, '$49'],
  [{ amount: 4950, currency: 'EUR' }, '€49.50'],
  [{ amount: 5000, currency: 'jpy' }, '¥5,000'],
])('the price %p reads %s', (price, text) => {
  expect(priceText(price)).toBe(text)
})

test('a date and time survive their field, to the minute', () => {
  expect(instantOf(localOf('2026-03-29T12:34:00.000Z'))).toBe('2026-03-29T12:34:00.000Z')
  expect(instantOf('')).toBeUndefined()
})

test.each([
  ['http', { baseUrl: 'https://a.example', auth: '' }, { baseUrl: 'https://a.example' }],
  [
    'http',
    { baseUrl: 'https://a.example', auth: 'header', headerName: 'X-Key', headers: 'A: b\n\n C:  d:e ' },
    { baseUrl: 'https://a.example', auth: 'header', headerName: 'X-Key', headers: { A: 'b', C: 'd:e' } },
  ],
  [
    'database',
    { engine: 'postgres', host: 'db', port: '5432', database: 'x' },
    { engine: 'postgres', host: 'db', port: 5432, database: 'x' },
  ],
  ['messaging', { protocol: 'amqp', url: 'amqps://b', topic: '' }, { protocol: 'amqp', url: 'amqps://b' }],
  ['object_storage', { endpoint: 'https://s3', bucket: 'b', region: '' }, { endpoint: 'https://s3', bucket: 'b' }],
] as const)('settings of kind %s are read from %p', (kind, fields, settings) => {
  const named = Object.fromEntries(Object.entries(fields).map(([name, text]) => [`settings/${name}`, text]))
  expect(settingsIn(kind, fieldsOf(named), 'settings/')).toEqual(settings as never)
})

test('free settings are a JSON object', () => {
  expect(settingsIn('custom', fieldsOf({ 'version/settings': '{"a": 1}' }), 'version/settings/')).toEqual({ a: 1 })
})

test.each(['[1]', '{', 'null', '"text"'])('%s is not a JSON object, which is reported at its field', (text) => {
  expect(failureOf(() => objectIn('settings', text)).issues).toMatchObject([{ path: '/body/settings' }])
})

test('a header without a colon is found at its field', () => {
  const failure = failureOf(() => settingsIn('http', fieldsOf({ 'settings/headers': 'nonsense' }), 'settings/'))
  expect(failure.issues).toEqual([
    { path: '/body/settings/headers', message: 'Write a line as Name: value, not "nonsense".' },
  ])
})

test('headers can be edited in the shown form', () => {
  expect(linesFrom({ A: 'b', C: 'd:e' })).toBe('A: b\nC: d:e')
})

test.each([...outcomeCodes])('coming back from a provider with %s is explained', (code) => {
  expect(outcomeWords[code]).toMatch(/^[A-Z].{20,}\.$/)
})

test.each([...probeErrors])('there is advice for %s', (code) => {
  expect(adviceFor(code)).toMatch(/^[A-Z].{10,}\.$/)
})
