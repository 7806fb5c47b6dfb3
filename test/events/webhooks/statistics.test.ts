/** Statistics of dead letters: which deliveries count, and who can see them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Client } from '../../support/client.ts'
import { dataOf } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { eventually, newPlace, receiver } from './world.ts'

const path = '/api/v1/webhook-deliveries/statistics'
const retentionMs = 30 * 86_400_000

let world: World
beforeAll(async () => {
  world = await openWorld({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' },
  })
})
afterAll(() => world?.stop())

const figures = async (query: Record<string, string> = {}, client: Client = world.owner) =>
  dataOf(await client.get(path, { query }))
const countIn = async (query: Record<string, string>) => (await figures(query)).deadLetters

interface Place {
  projectId: string
  environmentId: string
}
const at = ({ projectId, environmentId }: Place) => `/api/v1/projects/${projectId}/environments/${environmentId}`
const tallyOf = ({ projectId, environmentId }: Place, deadLetters: number) => ({
  projectId,
  environmentId,
  deadLetters,
})

async function newWebhook(place: Place, endpointUrl = 'https://hooks.example.com/'): Promise<string> {
  const body = { endpointUrl, eventTypes: ['deployment.queued'] }
  return dataOf(await world.owner.post(`${at(place)}/webhooks`, body)).id
}

let planted = 0
/** This many dead letters of a webhook, written directly to the store. */
function plant({ projectId, environmentId }: Place, webhookId: string, count: number, eventAt = world.clock.now()) {
  world.rows(
    `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ?)
     insert into deliveries (id, organization_id, project_id, environment_id, webhook_id, event_id, event_type,
       event_sequence, event_at, state, version, machine_version, context, attempts, attempt_history, created_at, updated_at)
     select printf('dlv_%026d', ? + number), ?, ?, ?, ?, 'evt', 'deployment.queued', 1, ?, 'dead-letter', 1, '1', '{}', 1,
       '[]', 1, 1 from numbers`,
    count,
    planted,
    world.ours,
    projectId,
    environmentId,
    webhookId,
    eventAt,
  )
  planted += count
}

/** The Environments of a new Project. */
async function places(): Promise<[Place, Place, Place]> {
  const { id: projectId, environments } = await world.project()
  return environments.map((environmentId) => ({ projectId, environmentId })) as [Place, Place, Place]
}

/** A key of a new member, who may read only the statistics of these Projects. */
async function granted(...projectIds: string[]): Promise<Client> {
  const member = world.user('member')
  const body = { subject: { type: 'user', id: member }, permissions: ['analytics:read'] }
  for (const id of projectIds) dataOf(await world.owner.post(`/api/v1/projects/${id}/access-grants`, body))
  return world.keyOf(member)
}

test('without dead letters the count is zero', async () => {
  expect(await figures()).toEqual({ deadLetters: 0, environments: [] })
})

describe('a dead letter', () => {
  /** Its endpoint is gone, so that it is tried once, and the webhook is disabled. */
  async function dead() {
    const place = await newPlace(world.owner)
    const endpoint = receiver(() => new Response(null, { status: 410 }))
    const webhookId = await newWebhook(place, endpoint.url)
    await place.emit()
    const list = `${place.path}/webhooks/${webhookId}/deliveries`
    const deliveryId = await eventually('a dead-letter', async () => {
      const [found] = dataOf(await world.owner.get(list)).items
      return found?.state === 'dead-letter' && (found.deliveryId as string)
    })
    endpoint.stop()
    return { place, webhookId, delivery: `${list}/${deliveryId}` }
  }

  test('counts until it is retried', async () => {
    const { place, delivery } = await dead()
    const { environmentId } = place
    expect(await figures({ environmentId })).toEqual({ deadLetters: 1, environments: [tallyOf(place, 1)] })
    dataOf(await world.owner.post(`${delivery}/retry`))
    expect(await figures({ environmentId })).toEqual({ deadLetters: 0, environments: [] })
  })

  test('still counts after a replay, which is another delivery', async () => {
    const { place, delivery } = await dead()
    dataOf(await world.owner.post(`${delivery}/replays`, undefined, { headers: { 'idempotency-key': 'again' } }))
    expect(await countIn({ environmentId: place.environmentId })).toBe(1)
  })

  test('is removed with its webhook', async () => {
    const { place, webhookId } = await dead()
    const other = await newWebhook(place)
    plant(place, other, 2)
    expect(await countIn({ environmentId: place.environmentId })).toBe(3)
    dataOf(await world.owner.delete(`${place.path}/webhooks/${webhookId}`))
    expect(await countIn({ environmentId: place.environmentId })).toBe(2)
  })

  test('is removed with its event', async () => {
    const [place] = await places()
    const webhookId = await newWebhook(place)
    plant(place, webhookId, 2, world.clock.now() - retentionMs)
    plant(place, webhookId, 3, world.clock.now() - retentionMs + 1)
    expect(await countIn({ environmentId: place.environmentId })).toBe(3)
  })
})

describe('the scope', () => {
  let here: Place
  let beside: Place
  let elsewhere: Place
  let asked: Record<string, (query: Record<string, string>) => Promise<unknown>>
  beforeAll(async () => {
    ;[here, beside] = await places()
    ;[elsewhere] = await places()
    for (const [place, count] of [
      [here, 2],
      [beside, 5],
      [elsewhere, 3],
    ] as const) {
      plant(place, await newWebhook(place), count)
    }
    const clients = {
      owner: world.owner,
      granted: await granted(here.projectId, elsewhere.projectId),
      ofProject: world.keyOf(world.ownerId, { projectId: here.projectId }),
      ofEnvironment: world.keyOf(world.ownerId, here),
      foreigner: world.organization().owner,
    }
    asked = Object.fromEntries(
      Object.entries(clients).map(([name, client]) => [name, (query) => figures(query, client)]),
    )
  })

  const project = () => ({ projectId: here.projectId })
  const environment = () => ({ environmentId: here.environmentId })
  const otherProject = () => ({ projectId: elsewhere.projectId })
  const otherEnvironment = () => ({ environmentId: elsewhere.environmentId })
  const nothing = () => []
  const ofHere = () => [tallyOf(here, 2)]
  const ofProject = () => [tallyOf(beside, 5), tallyOf(here, 2)]
  const ofElsewhere = () => [tallyOf(elsewhere, 3)]
  const everything = () => [tallyOf(beside, 5), tallyOf(elsewhere, 3), tallyOf(here, 2)]
  test.each([
    ['owner', 'a Project', project, ofProject],
    ['owner', 'an Environment', environment, ofHere],
    ['owner', 'an Environment of its Project', () => ({ ...here }), ofHere],
    ['owner', 'an Environment of another Project', () => ({ ...otherProject(), ...environment() }), nothing],
    ['owner', 'a Project that there is not', () => ({ projectId: newId('prj') }), nothing],
    ['owner', 'an Environment that there is not', () => ({ environmentId: newId('env') }), nothing],
    ['granted', 'all', () => ({}), everything],
    ['granted', 'one of the Projects', otherProject, ofElsewhere],
    ['granted', 'an Environment', environment, ofHere],
    ['ofProject', 'all', () => ({}), ofProject],
    ['ofProject', 'an Environment', environment, ofHere],
    ['ofProject', 'another Project', otherProject, nothing],
    ['ofProject', 'an Environment of another Project', otherEnvironment, nothing],
    ['ofEnvironment', 'all', () => ({}), ofHere],
    ['ofEnvironment', 'its Project', project, ofHere],
    ['ofEnvironment', 'an Environment beside it', () => ({ environmentId: beside.environmentId }), nothing],
    ['foreigner', 'all', () => ({}), nothing],
    ['foreigner', 'a Project of others', project, nothing],
    ['foreigner', 'an Environment of others', environment, nothing],
  ])('of %s, asking for %s, matches the lists', async (who, _, query, environments) => {
    const expected = environments()
    const deadLetters = expected.reduce((sum, { deadLetters }) => sum + deadLetters, 0)
    expect(await asked[who]?.(query())).toEqual({ deadLetters, environments: expected })
  })

  test('of a key without the permission for statistics, or bound to an Agent, is refused: 403', async () => {
    const agent = dataOf(
      await world.owner.post(`/api/v1/projects/${here.projectId}/agents`, { slug: 'agent', name: 'A' }),
    )
    for (const options of [
      { operations: ['webhooks:*', 'agent-runs:*'] },
      { projectId: here.projectId, environmentId: here.environmentId, agentId: agent.id as string },
    ]) {
      const { status, body } = await world.keyOf(world.ownerId, options).get(path)
      expect([status, body.error.code, body.error.details.permission]).toEqual([
        403,
        'permission_denied',
        'analytics:read',
      ])
    }
  })
})

test('counts all of very many, of any webhooks', async () => {
  const [one, other] = await places()
  for (const count of [2_000, 1, 1_999]) plant(one, await newWebhook(one), count)
  plant(other, await newWebhook(other), 700)
  const { projectId } = one
  expect(await figures({ projectId })).toEqual({
    deadLetters: 4_700,
    environments: [tallyOf(one, 4_000), tallyOf(other, 700)],
  })
  expect(await countIn({ environmentId: one.environmentId })).toBe(4_000)
})

test('names the 20 Environments with the most, and counts the others too', async () => {
  const all = (await Promise.all(Array.from({ length: 8 }, places))).flat()
  const client = await granted(...new Set(all.map(({ projectId }) => projectId)))
  await Promise.all(all.map(async (place, index) => plant(place, await newWebhook(place), index + 1)))
  const { deadLetters, environments } = await figures({}, client)
  const tallies = all.map((place, index) => tallyOf(place, index + 1))
  expect(environments).toEqual(tallies.reverse().slice(0, 20))
  expect(deadLetters).toBe((24 * 25) / 2)
})

test('a webhook shows the number of its dead letters', async () => {
  const [place] = await places()
  const [one, other] = [await newWebhook(place), await newWebhook(place)]
  plant(place, one, 3)
  plant(place, one, 1, world.clock.now() - retentionMs)
  plant(place, other, 1_001)
  const { items } = dataOf(await world.owner.get(`${at(place)}/webhooks`))
  const counts = items.map(({ id, deadLetters }: { id: string; deadLetters: number }) => [id, deadLetters])
  expect(Object.fromEntries(counts)).toEqual({ [one]: 3, [other]: 1_000 })
  expect(dataOf(await world.owner.get(`${at(place)}/webhooks/${one}`)).deadLetters).toBe(3)
})
