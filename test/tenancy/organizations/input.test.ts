import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { outcome } from '../../support/world/replies.ts'
import { openWorld, organizationsPath, ours, type World } from './world.ts'

let world: World
let group: string
beforeAll(async () => {
  world = await openWorld()
  group = (await world.owner.post(`${ours}/user-groups`, { name: 'Group' })).body.data.id
})
afterAll(() => world?.close())

const invalid = '422 validation_failed'
const malformed = '400 malformed_request'

const slugs: [string, unknown, string | number][] = [
  ['of one character', 'x', 200],
  ['of 63 characters', 'a'.repeat(63), 200],
  ['of digits and inner hyphens', '0-9--z', 200],
  ['of 64 characters', 'a'.repeat(64), invalid],
  ['of 10,000 characters', 'a'.repeat(10_000), invalid],
  ['that is empty', '', invalid],
  ['with upper case', 'Acme', invalid],
  ['with an underscore, as ids have', 'org_acme', invalid],
  ['that begins with a hyphen', '-acme', invalid],
  ['that ends with a hyphen', 'acme-', invalid],
  ['with a surrounding space', ' acme', invalid],
  ['with a trailing line break', 'acme\n', invalid],
  ['with a control character', 'ac\u0000me', invalid],
  ['with a slash', 'a/b', invalid],
  ['with other letters', 'ácme', invalid],
  ['that is a number', 5, invalid],
  ['that is null', null, invalid],
  ['that is a list', ['acme'], invalid],
]
test.each(slugs)('a slug %s', async (_, slug, expected) => {
  expect(outcome(await world.owner.post(organizationsPath, { name: 'Name', slug }))).toBe(expected)
  const { path, owner } = world.elsewhere()
  const wanted = typeof slug === 'string' && expected === 200 ? `${slug.slice(0, 62)}z` : slug
  expect(outcome(await owner.client.patch(path, { slug: wanted }))).toBe(expected)
})

test.each<[unknown, string]>([
  [7, 'a number'],
  [true, 'true or false'],
  [null, 'null'],
  [['7'], 'a list'],
  [{}, 'an object'],
])('a slug that is %p is said to be no text', async (slug, what) => {
  const { body } = await world.owner.post(organizationsPath, { name: 'Name', slug })
  const message = `Must be 1 to 63 lower-case letters, digits and inner hyphens. It must be a text, not ${what}.`
  expect(body.error.details.issues).toEqual([{ path: '/body/slug', message }])
})

const family = '👩‍👩‍👧'
const names: [string, unknown, string | number, string?][] = [
  ['with surrounding white space, which is trimmed', '  Acme \u00a0', 200, 'Acme'],
  ['of 200 characters', 'n'.repeat(200), 200, undefined],
  ['of 200 characters and white space', `  ${'n'.repeat(200)}  `, 200, 'n'.repeat(200)],
  ['of 200 emoji', '🦊'.repeat(200), 200, undefined],
  ['with joined emoji and right-to-left text', `${family} مرحبا`, 200, undefined],
  ['that resembles SQL or HTML', `'; drop table users; -- <b>`, 200, undefined],
  ['of 201 characters', 'n'.repeat(201), invalid, undefined],
  ['of 201 emoji', '🦊'.repeat(201), invalid, undefined],
  ['of 10,000 characters', 'n'.repeat(10_000), invalid, undefined],
  ['that is empty', '', invalid, undefined],
  ['of white space', '  \u00a0 ', invalid, undefined],
  ['with a line break inside', 'Ac\nme', invalid, undefined],
  ['with a NUL', 'Ac\u0000me', invalid, undefined],
  ['with a C1 control character', 'Ac\u0085me', invalid, undefined],
  ['that is a number', 5, invalid, undefined],
  ['that is null', null, invalid, undefined],
]
test.each(names)('a name %s', async (_, name, expected, shown) => {
  const wanted = expected === 200 ? [shown ?? name] : []
  const { path, owner } = world.elsewhere()
  const organization = await owner.client.patch(path, { name })
  expect(outcome(organization)).toBe(expected)
  const created = await owner.client.post(`${path}/user-groups`, { name })
  expect(outcome(created)).toBe(expected)
  const renamed = await world.owner.patch(`${ours}/user-groups/${group}`, { name })
  expect(outcome(renamed)).toBe(expected)
  for (const { status, body } of [organization, created, renamed]) {
    expect(status === 200 ? [body.data.name] : []).toEqual(wanted)
  }
})

describe('every body', () => {
  const bodies: [string, string, string][] = [
    ['that is not JSON', '{', malformed],
    ['that is empty', '', malformed],
    ['with a repeated key', '{"name":"A","name":"B"}', malformed],
    ['with a lone surrogate', '{"name":"\\ud83e"}', invalid],
    ['with reversed surrogates', '{"name":"\\udd8a\\ud83e"}', invalid],
    ['with an unknown field', '{"name":"A","kind":"personal"}', invalid],
    ["with a field of Object's prototype", '{"name":"A","__proto__":{"slug":"a"}}', invalid],
    ['that is a list', '[]', invalid],
    ['that is null', 'null', invalid],
  ]
  test.each(bodies)('%s is refused', async (_, text, expected) => {
    const headers = { 'content-type': 'application/json' }
    const send = (method: string, path: string) => world.owner.call(method, path, text, { headers })
    expect(outcome(await send('POST', organizationsPath))).toBe(expected)
    expect(outcome(await send('PATCH', ours))).toBe(expected)
    expect(outcome(await send('POST', `${ours}/members`))).toBe(expected)
    expect(outcome(await send('POST', `${ours}/user-groups`))).toBe(expected)
    expect(outcome(await send('PATCH', `${ours}/user-groups/${group}`))).toBe(expected)
    expect(outcome(await send('POST', `${ours}/user-groups/${group}/members`))).toBe(expected)
  })

  test('must have all required fields, and the answer names the missing ones', async () => {
    const { status, body } = await world.owner.post(organizationsPath, {})
    expect(status).toBe(422)
    expect(body.error.details.issues).toEqual([
      { path: '/body/name', message: 'Is required.' },
      { path: '/body/slug', message: 'Is required.' },
    ])
    expect(outcome(await world.owner.post(`${ours}/user-groups`, {}))).toBe(invalid)
    expect(outcome(await world.owner.patch(`${ours}/user-groups/${group}`, {}))).toBe(invalid)
    expect(outcome(await world.owner.post(`${ours}/user-groups/${group}/members`, {}))).toBe(invalid)
  })
})

const addresses: [string, unknown, string | number][] = [
  ['in the usual form', 'ada@example.com', 201],
  ['with a plus and a subdomain', 'ada+list@mail.example.com', 201],
  ['with other letters', 'ädä@exämple.com', 201],
  ['of 254 characters', `${'a'.repeat(64)}@${'b'.repeat(189)}`, 201],
  ['of 255 characters', `${'a'.repeat(64)}@${'b'.repeat(190)}`, invalid],
  ['without @', 'ada', invalid],
  ['with two @', 'ada@home@example.com', invalid],
  ['with nothing before @', '@example.com', invalid],
  ['with nothing after @', 'ada@', invalid],
  ['with a space', 'ada @example.com', invalid],
  ['with a line break, as in header injection', 'ada@example.com\r\nBcc: all@example.com', invalid],
  ['with a NUL', 'ada\u0000@example.com', invalid],
  ['that is empty', '', invalid],
  ['that is null', null, invalid],
]
test.each(addresses)('an address %s', async (_, email, expected) => {
  expect(outcome(await world.owner.post(`${ours}/members`, { email, role: 'member' }))).toBe(expected)
})

const membersAsked: [string, object, string][] = [
  ['neither address nor user', { role: 'member' }, invalid],
  ['both', { email: 'a@b.c', userId: 'usr_01h455vb4pex5vsknk084sn02q', role: 'member' }, invalid],
  ['no role', { email: 'a@b.c' }, invalid],
  ['an unknown role', { email: 'a@b.c', role: 'root' }, invalid],
  ['a user id of another kind', { userId: 'org_01h455vb4pex5vsknk084sn02q', role: 'member' }, invalid],
  ['an unknown user', { userId: 'usr_01h455vb4pex5vsknk084sn02q', role: 'member' }, '404 not_found'],
]
test.each(membersAsked)('adding a member with %s', async (_, body, expected) => {
  expect(outcome(await world.owner.post(`${ours}/members`, body))).toBe(expected)
})

test.each([
  `${organizationsPath}/${'a'.repeat(64)}`,
  `${organizationsPath}/%00`,
  `${organizationsPath}/%ff`,
  `${ours}/user-groups/ugr_1`,
  `${ours}/user-groups/usr_01h455vb4pex5vsknk084sn02q`,
  `${ours}/user-groups/ugr_01h455vb4pex5vsknk084sn02q`,
  `${ours}/user-groups/ugr_01h455vb4pex5vsknk084sn02q/members`,
])('GET %s answers 404', async (path) => {
  expect(outcome(await world.owner.get(path))).toBe('404 not_found')
})
