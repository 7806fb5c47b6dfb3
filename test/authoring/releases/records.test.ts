/** Records of Definitions and Releases: an audit line for each change, and nothing once their Project is deleted. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { entity } from '../definitions/sources.ts'
import { openWorld, type World, workshop } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const trail = () =>
  world.rows<{ operation: string; resource_type: string; resource_id: string; outcome: string }>(
    'select operation, resource_type, resource_id, outcome from audit_events order by id',
  )

test('every change records one line with its resource', async () => {
  const stranger = world.organization()
  const shop = await workshop(world, stranger.owner)
  const agent = await shop.agent('desk')
  const before = trail().length
  const step = async (ask: () => Promise<unknown>) => {
    world.clock.advance(1)
    await ask()
  }
  let definitionId = ''
  let revisionId = ''
  let releaseId = ''
  await step(async () => {
    const { body } = await stranger.owner.post(`${shop.path}/definitions`, { name: 'order', kind: 'entity' })
    definitionId = body.data.id
  })
  const path = `${shop.path}/definitions/${definitionId}`
  await step(() => stranger.owner.patch(path, { description: 'New.' }))
  await step(async () => {
    const { body } = await stranger.owner.post(`${path}/revisions`, { source: entity() })
    revisionId = body.data.id
  })
  await step(async () => {
    const { body } = await shop.release({
      agents: [agent],
      definitions: [{ definitionId, definitionRevisionId: revisionId }],
    })
    releaseId = body.data.id
  })
  await step(() => stranger.owner.delete(path))
  expect(
    trail()
      .slice(before)
      .map((line) => Object.values(line).join(' ')),
  ).toEqual([
    `createDefinition definition ${definitionId} allowed`,
    `updateDefinition definition ${definitionId} allowed`,
    `createDefinitionRevision definitionRevision ${revisionId} allowed`,
    `createRelease release ${releaseId} allowed`,
    `deleteDefinition definition ${definitionId} allowed`,
  ])
})

test('when a Project is deleted, its Definitions and Releases are deleted with it, and accept no more changes', async () => {
  const shop = await workshop(world)
  const agent = await shop.agent('desk')
  const definition = await shop.definition('order', 'entity', entity())
  const body = { agents: [agent], definitions: [definition] }
  expect((await shop.release(body)).status).toBe(201)
  world.rows("update projects set status = 'deleting' where id = ?", shop.id)
  const path = `${shop.path}/definitions`
  const replies = [
    await world.owner.post(path, { name: 'other', kind: 'entity' }),
    await world.owner.patch(`${path}/${definition.definitionId}`, { description: 'x' }),
    await world.owner.post(`${path}/${definition.definitionId}/revisions`, { source: entity() }),
    await world.owner.delete(`${path}/${definition.definitionId}`),
    await shop.release(body),
  ]
  for (const { status, body: answer } of replies) {
    expect([status, answer.error.code]).toEqual([409, 'deletion_in_progress'])
  }
  expect((await world.owner.get(`${path}/${definition.definitionId}`)).status).toBe(200)
  world.rows("update projects set status = 'active' where id = ?", shop.id)

  expect((await world.owner.delete(shop.path)).status).toBe(202)
  await eventually('the deletion of the Project', async () => (await world.owner.get(shop.path)).status === 404)
  const left = (sql: string, id: string) => world.rows(sql, id)
  expect(left('select id from definitions where project_id = ?', shop.id)).toEqual([])
  expect(left('select id from definition_revisions where definition_id = ?', definition.definitionId)).toEqual([])
  expect(left('select id from releases where project_id = ?', shop.id)).toEqual([])
  expect(left('select release_id from release_pins where resource_id = ?', agent.agentId)).toEqual([])
})
