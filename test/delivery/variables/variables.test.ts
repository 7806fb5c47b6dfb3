/** A new variable of an Environment. Source: requirement 4.11; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, issuesOf, outcome, tally } from '../../support/world/replies.ts'
import { openVariables, type VariablesWorld, variablesOf } from './world.ts'

let world: VariablesWorld['world']
let project: VariablesWorld['project']
let base: string
let source: VariablesWorld['source']
let agentIn: VariablesWorld['agentIn']
let agentId: string
let otherAgentId: string
let variable: VariablesWorld['variable']
beforeAll(async () => {
  ;({ world, project, base, source, agentIn, agentId, otherAgentId, variable } = await openVariables())
})
afterAll(() => world?.stop())

describe('a new variable', () => {
  test('with a value is shown without it, at version 1', async () => {
    const { status, body } = await world.owner.post(base, { name: 'TOKEN', value: 'grüße', description: 'One.' })
    expect(status).toBe(200)
    const { id, valueDigest, ...rest } = body.data
    expect(id).toMatch(/^var_/)
    expect(valueDigest).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      name: 'TOKEN',
      version: 1,
      description: 'One.',
      sourceVariableId: null,
      sourceVersion: null,
      agentId: null,
      bindingKey: null,
      status: 'active',
      valueLength: 5,
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${base}/${id}`)).body).toEqual(body)
  })

  test('with a source keeps that version of it', async () => {
    const own = await variable({ value: 'hunter2' })
    const { data, path } = await variable({ sourceVariableId: source.id, sourceVersion: 1 })
    const { valueDigest, valueLength } = own.data
    expect({ ...data }).toMatchObject({ sourceVariableId: source.id, sourceVersion: 1, valueDigest, valueLength })
    await world.owner.patch(source.path, { value: 'hunter222' })
    expect((await world.owner.get(path)).body.data).toEqual(data)
  })

  test('with a binding is for one Agent', async () => {
    const { data } = await variable({ value: '', agentId, bindingKey: 'shop' })
    expect({ ...data }).toMatchObject({ agentId, bindingKey: 'shop', valueLength: 0 })
  })

  test.each<[string, string]>([
    ['no characters', ''],
    ['65,536 characters', 'x'.repeat(65_536)],
    ['65,536 characters outside the basic plane', '𝄞'.repeat(65_536)],
  ])('may have a value of %s', async (_, value) => {
    expect((await variable({ value })).data.valueLength).toBe([...value].length)
  })

  const id = newId('var')
  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/body/name']],
    ['neither value nor source', { name: 'A1' }, ['/body/value']],
    [
      'value and source',
      { name: 'A1', value: '', sourceVariableId: id, sourceVersion: 1 },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['a value and an incomplete source', { name: 'A1', value: '', sourceVersion: 1 }, ['/body/sourceVersion']],
    ['a source without its version', { name: 'A1', sourceVariableId: id }, ['/body/sourceVersion']],
    ['a version without its source', { name: 'A1', sourceVersion: 1 }, ['/body/sourceVariableId']],
    ['version 0', { name: 'A1', sourceVariableId: id, sourceVersion: 0 }, ['/body/sourceVersion']],
    ['version 1.5', { name: 'A1', sourceVariableId: id, sourceVersion: 1.5 }, ['/body/sourceVersion']],
    ['a version as a string', { name: 'A1', sourceVariableId: id, sourceVersion: '1' }, ['/body/sourceVersion']],
    ['a malformed source', { name: 'A1', sourceVariableId: 'source', sourceVersion: 1 }, ['/body/sourceVariableId']],
    ['an Agent without a key', { name: 'A1', value: '', agentId: newId('agt') }, ['/body/bindingKey']],
    ['a key without an Agent', { name: 'A1', value: '', bindingKey: 'shop' }, ['/body/agentId']],
    ['a malformed Agent', { name: 'A1', value: '', agentId: 'one', bindingKey: 'shop' }, ['/body/agentId']],
    ['a System Agent', { name: 'A1', value: '', agentId: 'agt_system_assistant', bindingKey: 'a' }, ['/body/agentId']],
    ['a malformed key', { name: 'A1', value: '', agentId: newId('agt'), bindingKey: 'a b' }, ['/body/bindingKey']],
    ['two kinds of mistakes', { name: 'A1', bindingKey: 'shop' }, ['/body/value', '/body/agentId']],
    ['a lower-case name', { name: 'token', value: '' }, ['/body/name']],
    ['a name of 129 characters', { name: 'A'.repeat(129), value: '' }, ['/body/name']],
    ['65,537 characters', { name: 'A1', value: 'x'.repeat(65_537) }, ['/body/value']],
    ['100,000 characters', { name: 'A1', value: 'x'.repeat(100_000) }, ['/body/value']],
    [
      'a description of 2,001 characters',
      { name: 'A1', value: '', description: 'x'.repeat(2001) },
      ['/body/description'],
    ],
    ['a status', { name: 'A1', value: '', status: 'disabled' }, ['/body/status']],
    ['an unknown field', { name: 'A1', value: '', secret: 'x' }, ['/body/secret']],
  ])('with %s is refused (422)', async (_, body, paths) => {
    const reply = await world.owner.post(base, body)
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })

  describe('refers to existing resources, or is 404', () => {
    const rows: [string, () => object | Promise<object>][] = [
      ['an unknown source', () => ({ sourceVariableId: newId('var'), sourceVersion: 1 })],
      ['a version that does not exist yet', () => ({ sourceVariableId: source.id, sourceVersion: 99 })],
      [
        'a variable of an Environment as the source',
        async () => ({ sourceVariableId: (await variable()).id, sourceVersion: 1 }),
      ],
      [
        'the source of another organization',
        async () => {
          const { id: foreign, owner } = world.organization()
          const { body } = await owner.post(`/api/v1/organizations/${foreign}/variables`, { name: 'A', value: 'x' })
          return { sourceVariableId: body.data.id, sourceVersion: 1 }
        },
      ],
      ['an unknown Agent', () => ({ value: '', agentId: newId('agt'), bindingKey: 'a' })],
      [
        'an Agent of another Project',
        async () => {
          const other = await world.project()
          return { value: '', agentId: await agentIn(other.path, 'one'), bindingKey: 'a' }
        },
      ],
    ]
    test.each(rows)('%s', async (_, given) => {
      const body = await given()
      expect(outcome(await world.owner.post(base, { name: 'NOWHERE', ...body }))).toBe('404 not_found')
      const { path } = await variable()
      expect(outcome(await world.owner.patch(path, body))).toBe('404 not_found')
    })
  })

  test('requires a name that is free in its scope (409)', async () => {
    const { name } = await variable()
    const again = (changes: object, under = base) => world.owner.post(under, { name, value: '', ...changes })
    expect(outcome(await again({}))).toBe('409 name_taken')
    expect(outcome(await again({ agentId, bindingKey: 'scope' }))).toBe(200)
    expect(outcome(await again({ agentId, bindingKey: 'scope.again' }))).toBe('409 name_taken')
    expect(outcome(await again({ agentId: otherAgentId, bindingKey: 'scope' }))).toBe(200)
    expect(outcome(await again({}, variablesOf(project, 1)))).toBe(200)
  })

  test('requires a binding key that is free for the Agent (409)', async () => {
    await variable({ value: '', agentId, bindingKey: 'taken' })
    expect(outcome(await world.owner.post(base, { name: 'B1', value: '', agentId, bindingKey: 'taken' }))).toBe(
      '409 name_taken',
    )
    const other = { name: 'B1', value: '', agentId: otherAgentId, bindingKey: 'taken' }
    expect(outcome(await world.owner.post(base, other))).toBe(200)
  })

  test('of eight with the same name exactly one is created', async () => {
    const replies = await atOnce(8, () => world.owner.post(base, { name: 'CONTESTED', value: 'x' }))
    expect(tally(replies)).toEqual({ 200: 1, '409 name_taken': 7 })
  })

  test('is refused after 1,000 (422)', async () => {
    const { environments, path } = await world.project()
    world.rows(
      `insert into variables (id, organization_id, environment_id, name, version, created_at, updated_at)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < 998)
       select 'var_' || ? || value, ?, ?, 'V' || value, 1, 0, 0 from n`,
      environments[0],
      world.ours,
      environments[0],
    )
    const under = `${path}/environments/${environments[0]}/variables`
    const replies = await atOnce(4, (index) => world.owner.post(under, { name: `NEW_${index}`, value: '' }))
    expect(tally(replies)).toEqual({ 200: 2, '422 limit_exceeded': 2 })
  })
})

test('for an Agent that is being deleted is refused (409)', async () => {
  const within = await world.project()
  const doomed = await agentIn(within.path, 'doomed')
  world.rows("update agents set status = 'deleting' where id = ?", doomed)
  const body = { name: 'A', value: '', agentId: doomed, bindingKey: 'a' }
  expect(outcome(await world.owner.post(variablesOf(within), body))).toBe('409 deletion_in_progress')
  const { path } = await variable({ value: '' }, variablesOf(within))
  expect(outcome(await world.owner.patch(path, { agentId: doomed, bindingKey: 'a' }))).toBe('409 deletion_in_progress')
})
