/** Changes and deletion of a variable of an Environment. Source: requirement 4.11; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, issuesOf, outcome, tally } from '../../support/world/replies.ts'
import { activate, deactivate } from '../provider-credentials/world.ts'
import { openVariables, type VariablesWorld, variablesOf } from './world.ts'

let world: VariablesWorld['world']
let base: string
let source: VariablesWorld['source']
let agentId: string
let otherAgentId: string
let variable: VariablesWorld['variable']
beforeAll(async () => {
  ;({ world, base, source, agentId, otherAgentId, variable } = await openVariables())
})
afterAll(() => world?.stop())

describe('a change', () => {
  test('of value or source makes the next version; other changes make none', async () => {
    const { path, data: before } = await variable({ value: 'one' })
    world.clock.advance(1000)
    const { data: described } = (await world.owner.patch(path, { description: 'Two.', status: 'disabled' })).body
    const updatedAt = new Date(world.clock.now()).toISOString()
    expect(described).toEqual({ ...before, description: 'Two.', status: 'disabled', updatedAt })
    const { data: changed } = (await world.owner.patch(path, { value: 'three' })).body
    expect({ ...changed }).toMatchObject({ version: 2, valueLength: 5, description: 'Two.', sourceVariableId: null })
    const { data: sourced } = (await world.owner.patch(path, { sourceVariableId: source.id, sourceVersion: 2 })).body
    expect({ ...sourced }).toMatchObject({ version: 3, valueLength: 8, sourceVariableId: source.id, sourceVersion: 2 })
    const { data: own } = (await world.owner.patch(path, { value: '', status: 'active' })).body
    expect({ ...own }).toMatchObject({ version: 4, valueLength: 0, sourceVariableId: null, status: 'active' })
    expect((await world.owner.patch(path, { description: null })).body.data.description).toBeNull()
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { path, data } = await variable()
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(path, {})
    expect([status, body.data]).toEqual([200, data])
  })

  test('binds it to an Agent, to another one, and to none', async () => {
    const { path } = await variable()
    const bound = async (changes: object) => {
      const { data } = (await world.owner.patch(path, changes)).body
      return [data.agentId, data.bindingKey]
    }
    expect(await bound({ agentId, bindingKey: 'moving' })).toEqual([agentId, 'moving'])
    expect(await bound({ status: 'disabled' })).toEqual([agentId, 'moving'])
    expect(await bound({ agentId: otherAgentId, bindingKey: 'moved' })).toEqual([otherAgentId, 'moved'])
    expect(await bound({ agentId: null, bindingKey: null })).toEqual([null, null])
  })

  test('of the binding to a taken name or key is 409, and changes nothing', async () => {
    const { name } = await variable({ value: '', agentId, bindingKey: 'first' })
    const second = await variable({ value: '', agentId, bindingKey: 'second' })
    const third = await world.owner.post(base, { name, value: '' })
    const path = `${base}/${third.body.data.id}`
    expect(outcome(await world.owner.patch(path, { agentId, bindingKey: 'third', value: 'x' }))).toBe('409 name_taken')
    expect((await world.owner.get(path)).body.data).toEqual(third.body.data)
    expect(outcome(await world.owner.patch(second.path, { agentId, bindingKey: 'first' }))).toBe('409 name_taken')
  })

  test('of the value by eight concurrent requests makes eight versions without gaps', async () => {
    const { id, path } = await variable()
    const replies = await atOnce(8, (index) =>
      world.owner.patch(
        path,
        index % 2 ? { value: `value ${index}` } : { sourceVariableId: source.id, sourceVersion: 1 },
      ),
    )
    expect(tally(replies)).toEqual({ 200: 8 })
    const versions = world.rows<{ version: number }>(
      'select version from variable_versions where variable_id = ? order by version',
      id,
    )
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('of different fields by concurrent requests keeps all of them', async () => {
    const { path } = await variable()
    await Promise.all([
      world.owner.patch(path, { description: 'Kept.' }),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.patch(path, { agentId, bindingKey: 'kept' }),
      world.owner.patch(path, { value: 'kept' }),
    ])
    const { data } = (await world.owner.get(path)).body
    const all = { description: 'Kept.', status: 'disabled', agentId, bindingKey: 'kept', version: 2, valueLength: 4 }
    expect({ ...data }).toMatchObject(all)
  })

  test.each<[string, object, string[]]>([
    ['the name', { name: 'OTHER' }, ['/body/name']],
    ['the status to deleting', { status: 'deleting' }, ['/body/status']],
    ['the value to null', { value: null }, ['/body/value']],
    ['the value to 65,537 characters', { value: 'x'.repeat(65_537) }, ['/body/value']],
    [
      'value and source',
      { value: '', sourceVariableId: newId('var'), sourceVersion: 1 },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['the source without its version', { sourceVariableId: newId('var') }, ['/body/sourceVersion']],
    ['the version without its source', { sourceVersion: 2 }, ['/body/sourceVariableId']],
    [
      'the source to null',
      { sourceVariableId: null, sourceVersion: null },
      ['/body/sourceVariableId', '/body/sourceVersion'],
    ],
    ['the Agent without the key', { agentId: newId('agt') }, ['/body/bindingKey']],
    ['the key without the Agent', { bindingKey: 'shop' }, ['/body/agentId']],
    ['the Agent to null and not the key', { agentId: null, bindingKey: 'shop' }, ['/body/bindingKey']],
    ['the key to null and not the Agent', { agentId: newId('agt'), bindingKey: null }, ['/body/bindingKey']],
    ['the Agent to null alone', { agentId: null }, ['/body/bindingKey']],
    ['the version', { version: 2 }, ['/body/version']],
  ])('refuses %s (422)', async (_, changes, paths) => {
    const { path } = await variable()
    const reply = await world.owner.patch(path, changes)
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })
})

describe('a deletion', () => {
  test('answers 200 with the variable as it was, and removes it', async () => {
    const { path } = await variable({ value: 'x', agentId, bindingKey: 'going' })
    const { body: before } = await world.owner.patch(path, { value: 'y', description: 'Going.' })
    const { status, body } = await world.owner.delete(path)
    expect([status, body]).toEqual([200, before])
    expect(outcome(await world.owner.get(path))).toBe('404 not_found')
    expect(outcome(await world.owner.patch(path, { value: 'z' }))).toBe('404 not_found')
    await variable({ value: 'x', agentId, bindingKey: 'going' })
  })

  test('by eight concurrent requests happens once', async () => {
    const { path } = await variable()
    expect(tally(await atOnce(8, () => world.owner.delete(path)))).toEqual({ 200: 1, '404 not_found': 7 })
  })

  test('concurrent with changes fails only with 404', async () => {
    const { path } = await variable()
    const replies = await Promise.all([
      world.owner.patch(path, { value: 'x' }),
      world.owner.delete(path),
      world.owner.patch(path, { description: 'Late.' }),
      world.owner.patch(path, { value: 'y' }),
    ])
    for (const reply of replies) expect([200, '404 not_found']).toContain(outcome(reply))
    expect(replies[1]?.status).toBe(200)
  })

  test('is 409 while the snapshot of the active Deployment pins it; changes still work', async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const { id, name, path } = await variable({ value: 'x' }, under)
    const free = await variable({ value: 'x' }, under)
    activate(world, within.environments[0], [{ variableId: id, name, version: 1 }])
    expect(outcome(await world.owner.delete(path))).toBe('409 variable_in_use')
    expect(outcome(await world.owner.patch(path, { value: 'y', status: 'disabled' }))).toBe(200)
    expect(outcome(await world.owner.delete(free.path))).toBe(200)
    deactivate(world, within.environments[0])
    expect(outcome(await world.owner.delete(path))).toBe(200)
  })
})
