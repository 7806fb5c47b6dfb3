/** Visibility and permissions of the variables of an Environment. Source: requirement 4.11; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { outcome, walk } from '../../support/world/replies.ts'
import { openVariables, type VariablesWorld, variablesOf } from './world.ts'

let world: VariablesWorld['world']
let project: VariablesWorld['project']
let base: string
let agentIn: VariablesWorld['agentIn']
let variable: VariablesWorld['variable']
beforeAll(async () => {
  ;({ world, project, base, agentIn, variable } = await openVariables())
})
afterAll(() => world?.stop())

describe('the list', () => {
  test('is newest first, in pages', async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1)
      ids.push((await variable({ value: '' }, under)).id)
    }
    const { items, sizes } = await walk(world.owner, under, 2)
    expect(items.map((item) => item.id)).toEqual(ids.reverse())
    expect(sizes).toEqual([2, 2, 1])
    const cursor = (await world.owner.get(under, { query: { limit: 1 } })).body.pagination.nextCursor
    const elsewhere = await world.owner.get(variablesOf(within, 1), { query: { cursor } })
    expect(outcome(elsewhere)).toBe('422 invalid_cursor')
  })

  test("for an Agent's key has the variables of that Agent, and the others are 404", async () => {
    const within = await world.project()
    const under = variablesOf(within)
    const [mine, others] = [await agentIn(within.path, 'mine'), await agentIn(within.path, 'others')]
    const forAll = await variable({ value: '' }, under)
    const forMe = await variable({ value: '', agentId: mine, bindingKey: 'a' }, under)
    const forOthers = await variable({ value: '', agentId: others, bindingKey: 'a' }, under)
    const client = world.keyOf(world.ownerId, { projectId: within.id, agentId: mine })
    const { items } = (await client.get(under)).body.data
    expect(items.map(({ id }: { id: string }) => id).sort()).toEqual([forAll.id, forMe.id].sort())
    expect((await client.get(forMe.path)).status).toBe(200)
    expect((await client.get(forAll.path)).status).toBe(200)
    expect((await client.get(forOthers.path)).status).toBe(404)
    expect(outcome(await client.post(under, { name: 'A', value: '' }))).toBe('403 permission_denied')
  })
})

describe('permissions', () => {
  test.each<[string, string, string, object | undefined]>([
    ['list', 'GET', '', undefined],
    ['create', 'POST', '', {}],
    ['get', 'GET', '/:id', undefined],
    ['update', 'PATCH', '/:id', {}],
    ['delete', 'DELETE', '/:id', undefined],
  ])('without env:variables:%s: %s %s is 403; elsewhere it is 404', async (verb, method, below, sent) => {
    const { id, path } = await variable()
    const target = below === '' ? base : path
    const operations = ['list', 'get', 'create', 'update', 'delete']
      .filter((each) => each !== verb)
      .map((each) => `env:variables:${each}`)
    const lacking = await world.keyOf(world.ownerId, { operations }).call(method, target, sent)
    expect(lacking.status).toBe(403)
    expect(lacking.body.error.details).toEqual({ permission: `env:variables:${verb}` })
    const other = await world.project()
    const sibling = { projectId: project.id, environmentId: project.environments[1] }
    expect((await world.keyOf(world.ownerId, sibling).call(method, target, sent)).status).toBe(404)
    expect((await world.keyOf(world.ownerId, { projectId: other.id }).call(method, target, sent)).status).toBe(404)
    expect((await world.organization().owner.call(method, target, sent)).status).toBe(404)
    // the path names the Project of the Environment and its variable
    const mixed = `${other.path}/environments/${project.environments[0]}/variables${below.replace(':id', id)}`
    expect((await world.owner.call(method, mixed, sent ?? undefined)).status).toBe(404)
    if (below === '') return
    for (const strange of [
      `${variablesOf(project, 1)}/${id}`,
      `${variablesOf(other)}/${id}`,
      `${base}/${newId('var')}`,
    ]) {
      expect(outcome(await world.owner.call(method, strange, sent))).toBe('404 not_found')
    }
  })

  test('a key of the Environment is allowed, and a member with a grant for it', async () => {
    const scope = { projectId: project.id, environmentId: project.environments[0] }
    expect(outcome(await world.keyOf(world.ownerId, scope).post(base, { name: 'SCOPED', value: '' }))).toBe(200)
    const member = world.user('member')
    const client = world.keyOf(member)
    expect((await client.get(base)).status).toBe(403)
    await world.owner.post(`${project.path}/access-grants`, {
      subject: { type: 'user', id: member },
      permissions: ['env:variables:list'],
    })
    expect((await client.get(base)).status).toBe(200)
    expect((await client.post(base, { name: 'GRANTED', value: '' })).status).toBe(403)
  })
})
