/** Concurrent Activations. Source: contract 3, "activations". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Place } from '../../support/world/places.ts'
import { tallyStatuses } from '../../support/world/replies.ts'
import { openWorld, type World } from '../deployments/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const path = (place: Place, ...more: string[]) => [`${place.path}/activations`, ...more].join('/')
const environment = async (place: Place) => (await place.owner.get(place.path)).body.data
const changes = (place: Place) =>
  world
    .history(place)
    .filter(({ type }) => type === 'activation.changed')
    .map(({ data }) => data)

test('of 16 concurrent activations with one generation one is 201, the others 409 generation_mismatch', async () => {
  const place = await world.place()
  const deployments = [await world.ready(place), await world.ready(place)]
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, index) => world.activate(place, deployments[index % 2]!.id, 0)),
  )
  expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 15 })
  for (const { status, body } of replies) {
    if (status === 201) continue
    expect([body.error.code, body.error.details]).toEqual(['generation_mismatch', { currentGeneration: 1 }])
  }
  const won = replies.find(({ status }) => status === 201)?.body.data
  expect(await environment(place)).toMatchObject({ generation: 1, activeDeploymentId: won.deploymentId })
  expect((await place.owner.get(path(place))).body.data.items).toEqual([won])
  expect(changes(place)).toHaveLength(1)
})

test('retried activations are numbered without gaps', async () => {
  const place = await world.place()
  const { id } = await world.ready(place)
  const insist = async () => {
    for (;;) {
      const { generation } = await environment(place)
      const { status, body } = await world.activate(place, id, generation)
      if (status === 201) return body.data.generation as number
      expect(body.error.code).toBe('generation_mismatch')
    }
  }
  const generations = await Promise.all(Array.from({ length: 8 }, insist))
  expect(generations.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(changes(place).map(({ generation }) => generation)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const sequences = world.history(place).map(({ sequence }) => sequence)
  expect(sequences).toEqual(sequences.map((_, index) => index + 1))
})

test('either an Agent is deleted or its Deployment activated, never both', async () => {
  for (let round = 0; round < 6; round += 1) {
    const place = await world.place()
    const { id, agent } = await world.ready(place)
    const remove = () => place.owner.delete(agent.path)
    const activate = () => world.activate(place, id, 0)
    const replies = await Promise.all(round % 2 ? [remove(), activate()] : [activate(), remove()].toReversed())
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(1)
  }
})
