/** How the preparation of a Deployment ends early. Source: contract 3, "Deployment". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Place } from '../../support/world/places.ts'
import { tallyStatuses } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const path = (place: Place, ...more: string[]) => [`${place.path}/deployments`, ...more].join('/')

describe('canceling', () => {
  test.each(['queued', 'validating', 'provisioning', 'materializing'])(
    'ends one that is %s: 200, and again 200 and unchanged',
    async (state) => {
      const place = await world.place()
      const id = await world.standing(place, state)
      world.clock.advance(1_000)
      const first = await place.owner.post(path(place, id, 'cancel'))
      expect([first.status, first.body.data.state]).toEqual([200, 'canceled'])
      expect(first.body.data.updatedAt).toBe(new Date(world.clock.now()).toISOString())
      world.clock.advance(1_000)
      const again = await place.owner.post(path(place, id, 'cancel'))
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(world.history(place).map(({ type, data }) => [type, data.from])).toEqual([['deployment.canceled', state]])
      expect(world.rows('select * from timers where actor_id = ?', id)).toEqual([])
    },
  )

  test.each(['ready', 'failed'])('does not change one that is %s: 409', async (state) => {
    const place = await world.place()
    const id = await world.standing(place, state)
    const { status, body } = await place.owner.post(path(place, id, 'cancel'))
    expect([status, body.error.code, body.error.details]).toEqual([409, 'invalid_transition', { currentState: state }])
  })

  test('concurrently with the work leaves one end, whichever comes first', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await place.owner.post(path(place), body)).body.data
      const cancels = await Promise.all(Array.from({ length: 8 }, () => place.owner.post(path(place, id, 'cancel'))))
      const { state } = await world.settled(place, id)
      for (const { status } of cancels) expect([200, 409]).toContain(status)
      expect(tallyStatuses(cancels)[200] ?? 0).toBe(state === 'canceled' ? 8 : 0)
      const bundles = world.rows('select * from deployment_bundles where deployment_id = ?', id)
      expect(bundles).toHaveLength(state === 'ready' ? 1 : 0)
    }
  })
})

test('a step that takes longer than ten minutes fails the Deployment', async () => {
  const place = await world.place()
  const id = await world.standing(place, 'provisioning')
  world.tenancy.insert('timers', {
    kind: 'deployment',
    actor_id: id,
    name: 'stepDeadline',
    due_at: world.clock.now() + 600_000,
  })
  world.clock.advance(600_000 + 1_000)
  const { state, stateReason } = await world.settled(place, id)
  expect([state, stateReason?.code]).toEqual(['failed', 'deadline_exceeded'])
})
