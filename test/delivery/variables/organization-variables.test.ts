/** Variables of an organization. Source: contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, issuesOf, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { organizationVariablesPath as base } from '../provider-credentials/world.ts'

let world: World
let count = 0

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const variable = async (changes: object = {}) => {
  count += 1
  const reply = await world.owner.post(base, { name: `VARIABLE_${count}`, value: 'hunter2', ...changes })
  expect(reply.status).toBe(201)
  const { id, name } = reply.body.data as { id: string; name: string }
  return { id, name, path: `${base}/${id}` }
}

describe('a new variable', () => {
  test('is shown without its value, at version 1', async () => {
    const { status, body } = await world.owner.post(base, { name: 'TOKEN', value: 'grüße', description: 'One.' })
    expect(status).toBe(201)
    const { id, valueDigest, ...rest } = body.data
    expect(id).toMatch(/^var_/)
    expect(valueDigest).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      name: 'TOKEN',
      version: 1,
      description: 'One.',
      status: 'active',
      valueLength: 5,
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${base}/${id}`)).body).toEqual(body)
  })

  test.each<[string, string, number]>([
    ['no characters', '', 0],
    ['one character', 'x', 1],
    ['65,536 characters', 'x'.repeat(65_536), 65_536],
    ['65,536 characters outside the basic plane', '𝄞'.repeat(65_536), 65_536],
    ['line breaks', 'a\r\n\tb', 5],
  ])('may have a value of %s', async (_, value, length) => {
    const { path } = await variable({ value })
    expect((await world.owner.get(path)).body.data.valueLength).toBe(length)
  })

  test('shows equal values by equal digests, only within the organization', async () => {
    const digest = async (path: string) => (await world.owner.get(path)).body.data.valueDigest
    const [one, same, other] = [await variable(), await variable(), await variable({ value: 'hunter3' })]
    expect(await digest(same.path)).toBe(await digest(one.path))
    expect(await digest(other.path)).not.toBe(await digest(one.path))
    const { id, owner } = world.organization()
    const theirs = await owner.post(`/api/v1/organizations/${id}/variables`, { name: 'SAME', value: 'hunter2' })
    expect(theirs.body.data.valueDigest).not.toBe(await digest(one.path))
  })

  test.each([['A'], ['Z9'], ['A_'], ['SHOP_TOKEN'], ['A__B'], [`A${'B'.repeat(127)}`]])(
    'may be named %s',
    async (name) => {
      expect(outcome(await world.owner.post(base, { name, value: '' }))).toBe(201)
    },
  )

  test.each([
    [''],
    ['a'],
    ['Token'],
    ['9A'],
    ['_A'],
    ['A-B'],
    ['A B'],
    ['A.B'],
    [' A'],
    ['A\n'],
    ['Ä'],
    [`A${'B'.repeat(128)}`],
  ])('may not be named %p (422)', async (name) => {
    const reply = await world.owner.post(base, { name, value: '' })
    expect([reply.status, issuesOf(reply)]).toEqual([422, ['/body/name']])
  })

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/body/name', '/body/value']],
    ['no value', { name: 'A1' }, ['/body/value']],
    ['a value of null', { name: 'A1', value: null }, ['/body/value']],
    ['a number as the value', { name: 'A1', value: 7 }, ['/body/value']],
    ['65,537 characters', { name: 'A1', value: 'x'.repeat(65_537) }, ['/body/value']],
    ['100,000 characters', { name: 'A1', value: 'x'.repeat(100_000) }, ['/body/value']],
    ['a long description', { name: 'A1', value: '', description: 'x'.repeat(2001) }, ['/body/description']],
    ['a source', { name: 'A1', value: '', sourceVariableId: newId('var') }, ['/body/sourceVariableId']],
    ['a binding', { name: 'A1', value: '', bindingKey: 'shop' }, ['/body/bindingKey']],
  ])('with %s is refused (422)', async (_, body, paths) => {
    const reply = await world.owner.post(base, body)
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })

  test('requires a name that is free in the organization (409)', async () => {
    const { name, path } = await variable()
    const refused = await world.owner.post(base, { name, value: '' })
    expect(outcome(refused)).toBe('409 name_taken')
    expect(refused.body.error.message).toContain('another variable of the organization')
    const { id, owner } = world.organization()
    expect(outcome(await owner.post(`/api/v1/organizations/${id}/variables`, { name, value: '' }))).toBe(201)
    await world.owner.delete(path)
    expect(outcome(await world.owner.post(base, { name, value: '' }))).toBe(201)
  })

  test('of eight with the same name exactly one is created', async () => {
    const replies = await atOnce(8, () => world.owner.post(base, { name: 'CONTESTED', value: 'x' }))
    expect(tally(replies)).toEqual({ 201: 1, '409 name_taken': 7 })
  })

  test('is refused after 1,000 (422)', async () => {
    const { id, owner } = world.organization()
    const path = `/api/v1/organizations/${id}/variables`
    world.rows(
      `insert into organization_variables (id, organization_id, name, version, created_at, updated_at)
       select 'var_' || value, ?, 'V' || value, 1, 0, 0
       from json_each((select json_group_array(value) from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 998) select value from n)))`,
      id,
    )
    const replies = await atOnce(4, (index) => owner.post(path, { name: `NEW_${index}`, value: '' }))
    expect(tally(replies)).toEqual({ 201: 2, '422 limit_exceeded': 2 })
  })
})

describe('a change', () => {
  test('of the value makes the next version; other changes make none', async () => {
    const { path } = await variable()
    const before = (await world.owner.get(path)).body.data
    world.clock.advance(1000)
    const described = (await world.owner.patch(path, { description: 'Two.', status: 'disabled' })).body.data
    expect(described).toEqual({
      ...before,
      description: 'Two.',
      status: 'disabled',
      updatedAt: new Date(world.clock.now()).toISOString(),
    })
    const changed = (await world.owner.patch(path, { value: 'hunter22' })).body.data
    expect({ ...changed }).toMatchObject({ version: 2, valueLength: 8, description: 'Two.', status: 'disabled' })
    expect(changed.valueDigest).not.toBe(before.valueDigest)
    expect((await world.owner.patch(path, { description: null })).body.data.description).toBeNull()
  })

  test('to the same value makes a version too', async () => {
    const { path } = await variable()
    const first = (await world.owner.get(path)).body.data
    const { data } = (await world.owner.patch(path, { value: 'hunter2' })).body
    expect([data.version, data.valueDigest]).toEqual([2, first.valueDigest])
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { path } = await variable()
    const before = (await world.owner.get(path)).body
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(path, {})
    expect([status, body]).toEqual([200, before])
  })

  test('of the value by eight concurrent requests makes eight versions without gaps', async () => {
    const { id, path } = await variable()
    const replies = await atOnce(8, (index) => world.owner.patch(path, { value: `value ${index}` }))
    expect(tally(replies)).toEqual({ 200: 8 })
    const versions = world.rows<{ version: number }>(
      'select version from organization_variable_versions where variable_id = ? order by version',
      id,
    )
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect((await world.owner.get(path)).body.data.version).toBe(9)
  })

  test.each<[string, object, string]>([
    ['the name', { name: 'OTHER' }, '/body/name'],
    ['the value to null', { value: null }, '/body/value'],
    ['the value to 65,537 characters', { value: 'x'.repeat(65_537) }, '/body/value'],
    ['the status to deleting', { status: 'deleting' }, '/body/status'],
    ['the version', { version: 1 }, '/body/version'],
  ])('refuses %s (422)', async (_, changes, issue) => {
    const { path } = await variable()
    const reply = await world.owner.patch(path, changes)
    expect([reply.status, issuesOf(reply)]).toEqual([422, [issue]])
  })
})
