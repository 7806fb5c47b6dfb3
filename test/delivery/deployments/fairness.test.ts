/** However many Deployments of an organization wait for their turn, those of another one are prepared. */
import { expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { placesOf } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld } from '../../support/world/world.ts'

/** More than the runtime works on at a time, and more than a few. */
const deploymentsMax = 180
const fewMax = 20

test('a Deployment is ready while another organization has many large ones', async () => {
  const world = await openWorld()
  try {
    const places = placesOf(world)
    const busy = await places.place()
    const metadata = { text: 'x'.repeat(500_000) }
    const agents = await Promise.all(Array.from({ length: 10 }, () => places.agent(busy, { metadata })))
    const body = {
      releaseId: await places.release(busy, agents),
      configurationRevisionId: (await places.snapshot(busy)).id,
    }
    const foreign = world.organization()
    const other = await places.place(foreign.owner, foreign.id)
    const small = await places.release(other, [await places.agent(other)])

    for (let count = 0; count < deploymentsMax; count += 1) {
      await data(busy.owner.post(`${busy.path}/deployments`, body))
    }
    const deployment = await places.submitted(other, small)
    const states = world.rows<{ state: string; count: number }>(
      'select state, count(*) as count from deployments where environment_id = ? group by state',
      busy.environmentId,
    )
    expect(deployment).toMatchObject({ state: 'ready' })
    const ready = states.find(({ state }) => state === 'ready')?.count ?? 0
    expect(ready).toBeLessThan(fewMax)
  } finally {
    await world.stop()
  }
})

test('more Deployments at once than wait for their turn all come to their end, in spite of canceled ones', async () => {
  const world = await openWorld()
  try {
    const places = placesOf(world)
    const place = await places.place()
    const releaseId = await places.release(place, [await places.agent(place)])
    const { id: configurationRevisionId } = await places.snapshot(place)
    const submit = () =>
      data<{ id: string }>(place.owner.post(`${place.path}/deployments`, { releaseId, configurationRevisionId }))
    const submitted = await Promise.all(Array.from({ length: 3 * fewMax }, submit))
    await place.owner.post(`${place.path}/deployments/${submitted.at(-1)!.id}/cancel`)
    for (const { id } of submitted) {
      const ended = await eventually(`the end of ${id}`, async () => {
        world.clock.advance(1_000)
        const { state } = await data<{ state: string }>(place.owner.get(`${place.path}/deployments/${id}`))
        return ['ready', 'canceled'].includes(state) && state
      })
      if (id !== submitted.at(-1)!.id) expect(ended).toBe('ready')
    }
  } finally {
    await world.stop()
  }
})
