/** Deleting and listing variables of an organization, and their permissions. Source: contract 4. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, outcome, tally, walk } from '../../support/world/replies.ts'
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

describe('a deletion', () => {
  test('answers 204, and removes it', async () => {
    const { path } = await variable()
    const { status, body } = await world.owner.delete(path)
    expect([status, body]).toEqual([204, undefined])
    expect(outcome(await world.owner.get(path))).toBe('404 not_found')
    expect(outcome(await world.owner.patch(path, { value: 'x' }))).toBe('404 not_found')
    expect(outcome(await world.owner.delete(path))).toBe('404 not_found')
  })

  test('by eight concurrent requests happens once', async () => {
    const { path } = await variable()
    expect(tally(await atOnce(8, () => world.owner.delete(path)))).toEqual({ 204: 1, '404 not_found': 7 })
  })

  test('is 409 while any version of a variable of an Environment uses its value', async () => {
    const { id, path } = await variable()
    const project = await world.project()
    const variables = `${project.path}/environments/${project.environments[0]}/variables`
    const user = await world.owner.post(variables, { name: 'USER', sourceVariableId: id, sourceVersion: 1 })
    expect(outcome(await world.owner.delete(path))).toBe('409 variable_in_use')
    await world.owner.patch(`${variables}/${user.body.data.id}`, { sourceVariableId: id, sourceVersion: 1 })
    await world.owner.patch(`${variables}/${user.body.data.id}`, { value: 'own' })
    const refused = await world.owner.delete(path)
    expect(outcome(refused)).toBe('409 variable_in_use')
    expect(refused.body.error.details.dependents).toEqual([
      {
        type: 'variable',
        id: user.body.data.id,
        name: 'USER',
        project: { id: project.id, slug: expect.any(String) },
        environment: { id: project.environments[0], kind: 'development' },
      },
    ])
    expect(refused.body.error.message).toContain(`USER (${user.body.data.id}) in the Environment development`)
    await world.owner.delete(`${variables}/${user.body.data.id}`)
    expect(outcome(await world.owner.delete(path))).toBe(204)
  })

  test('concurrent with its use as a source: one of the two is refused', async () => {
    const project = await world.project()
    const variables = `${project.path}/environments/${project.environments[0]}/variables`
    for (let round = 0; round < 6; round += 1) {
      const { id, path } = await variable()
      const use = () => world.owner.post(variables, { name: `USER_${round}`, sourceVariableId: id, sourceVersion: 1 })
      const remove = () => world.owner.delete(path)
      const [first, second] = await Promise.all(round % 2 === 0 ? [use(), remove()] : [remove(), use()])
      const outcomes = [outcome(first), outcome(second)].sort()
      expect([
        [200, '409 variable_in_use'],
        [204, '404 not_found'],
      ]).toContainEqual(outcomes)
    }
  })
})

describe('the list', () => {
  test('is newest first, in pages, and its cursor is refused in another organization', async () => {
    const { id, owner } = world.organization()
    const path = `/api/v1/organizations/${id}/variables`
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1)
      ids.push((await owner.post(path, { name: `V${index}`, value: '' })).body.data.id)
    }
    const { items, sizes } = await walk(owner, path, 2)
    expect(items.map((item) => item.id)).toEqual(ids.reverse())
    expect(sizes).toEqual([2, 2, 1])
    const cursor = (await owner.get(path, { query: { limit: 1 } })).body.pagination.nextCursor
    expect(outcome(await world.owner.get(base, { query: { cursor } }))).toBe('422 invalid_cursor')
  })
})

describe('permissions', () => {
  test.each<[string, string, string, object | undefined]>([
    ['organization-variables:list', 'GET', '', undefined],
    ['organization-variables:list', 'GET', '/:id', undefined],
    ['organization-variables:manage', 'POST', '', {}],
    ['organization-variables:manage', 'PATCH', '/:id', {}],
    ['organization-variables:manage', 'DELETE', '/:id', undefined],
  ])('without %s: %s %s is 403; of another organization 404', async (permission, method, below, sent) => {
    const { path } = await variable()
    const target = below === '' ? base : path
    const other = ['organization-variables:list', 'organization-variables:manage'].filter((name) => name !== permission)
    const lacking = await world.keyOf(world.ownerId, { operations: other }).call(method, target, sent)
    expect(lacking.status).toBe(403)
    expect(lacking.body.error.details).toEqual({ permission })
    const { id } = await world.project()
    expect((await world.keyOf(world.ownerId, { projectId: id }).call(method, target, sent)).status).toBe(403)
    expect((await world.organization().owner.call(method, target, sent)).status).toBe(404)
  })

  test.each<[string, object | undefined]>([
    ['GET', undefined],
    ['PATCH', { value: 'mine' }],
    ['DELETE', undefined],
  ])('%s of a foreign and of a missing one are the same 404', async (method, sent) => {
    const { id } = await variable()
    const theirs = world.organization()
    const under = `/api/v1/organizations/${theirs.id}/variables`
    const replies = [
      await theirs.owner.call(method, `${under}/${id}`, sent),
      await theirs.owner.call(method, `${under}/${newId('var')}`, sent),
      await theirs.owner.call(method, `${under}/nonsense`, sent),
    ]
    const texts = replies.map((reply) => JSON.stringify([reply.status, { ...reply.body.error, requestId: '' }]))
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
  })
})
