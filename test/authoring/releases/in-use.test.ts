/** What a Release means for the Definitions it pins. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses } from '../../support/world/replies.ts'
import { type AgentPin, openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop
let agent: AgentPin
let count = 0

beforeAll(async () => {
  world = await openWorld()
  shop = await workshop(world)
  agent = await shop.agent('desk', { tools: [] })
})
afterAll(() => world?.stop())

const definition = () => {
  count += 1
  return shop.operations(`orders${count}`, 'find')
}
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]
const at = (definitionId: string) => `${shop.path}/definitions/${definitionId}`

/** Stores an Environment with this Release in its active Deployment. */
function activate(releaseId: string): () => void {
  const [environment] = world.rows<{ id: string; head_revision_id: string }>(
    'select id, head_revision_id from environments where project_id = ?',
    shop.id,
  )
  const id = newId('dep')
  world.rows(
    `insert into deployments (id, organization_id, project_id, environment_id, release_id, configuration_revision_id,
       state, version, machine_version, context, created_by_type, created_by_id, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 'ready', 1, '1', '{}', 'user', ?, 0, 0)`,
    id,
    world.ours,
    shop.id,
    environment!.id,
    releaseId,
    environment!.head_revision_id,
    world.ownerId,
  )
  world.rows('update environments set active_deployment_id = ? where id = ?', id, environment!.id)
  return () => world.rows('update environments set active_deployment_id = null where id = ?', environment!.id)
}

test('a Definition pinned by the Release of an active Deployment cannot be deleted; one pinned by other Releases can', async () => {
  const [pinned, other] = [await definition(), await definition()]
  const release = (await shop.release({ agents: [agent], definitions: [pinned] })).body.data
  const past = (await shop.release({ agents: [agent], definitions: [other] })).body.data
  const deactivate = activate(release.id)
  const refused = await world.owner.delete(at(pinned.definitionId))
  expect(outcome(refused)).toEqual([409, 'definition_in_use'])
  expect(refused.body.error.message).toContain('first activate a Deployment without it')
  expect((await world.owner.get(at(pinned.definitionId))).status).toBe(200)
  expect((await world.owner.delete(at(other.definitionId))).status).toBe(204)
  deactivate()
  expect((await world.owner.delete(at(pinned.definitionId))).status).toBe(204)
  // the records stay
  for (const { id, definitions } of [release, past]) {
    expect((await world.owner.get(`${shop.path}/releases/${id}`)).body.data.definitions).toEqual(definitions)
  }
})

test('a pinned Definition cannot be renamed; its description can change, and revisions can be published', async () => {
  const pinned = await definition()
  await shop.release({ agents: [agent], definitions: [pinned] })
  const path = at(pinned.definitionId)
  const { name } = (await world.owner.get(path)).body.data
  expect(outcome(await world.owner.patch(path, { name: 'other', description: 'x' }))).toEqual([
    409,
    'definition_in_use',
  ])
  expect((await world.owner.get(path)).body.data).toMatchObject({ name, description: null })
  expect((await world.owner.patch(path, { name, description: 'New.' })).body.data.description).toBe('New.')
})

test('a Release concurrent with a rename never refers to a name that no longer exists', async () => {
  const renamed = await definition()
  const path = at(renamed.definitionId)
  const { name } = (await world.owner.get(path)).body.data
  const tools = [{ kind: 'operation', name: 'find', operation: `${name}.find` }]
  const asking = await shop.agent(`asking${count}`, { tools })
  const body = { agents: [asking], definitions: [renamed] }
  const replies = await Promise.all([
    shop.release(body),
    world.owner.patch(path, { name: `${name}-new` }),
    shop.release(body),
  ])
  const [one, change, two] = replies.map(({ status }) => status)
  const released = [one, two].filter((status) => status === 201).length
  expect(change).toBe(released > 0 ? 409 : 200)
  for (const status of [one, two]) expect([201, 422]).toContain(status!)
})

test('eight Releases concurrent with deletions leave a consistent result', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => definition()))
  const replies = await Promise.all(
    all.flatMap((pin) => [
      shop.release({ agents: [agent], definitions: [pin] }),
      world.owner.delete(at(pin.definitionId)),
    ]),
  )
  const deletions = replies.filter((_, index) => index % 2 === 1)
  expect(tallyStatuses(deletions)).toEqual({ 204: 8 })
  for (const [index, { status }] of replies.entries()) if (index % 2 === 0) expect([201, 404]).toContain(status)
})
