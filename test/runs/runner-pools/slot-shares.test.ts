/**
 * Organizations that share the slots of the embedded runner: long runs of one do not keep those of others waiting.
 * Source: contract 5, "Slots of the embedded runner are shared".
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { serverCount } from '../../support/stores/engine.ts'
import { newOrganization, type Organization } from '../../support/world/organizations.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

/** Each of several servers has slots of its own. */
const single = describe.skipIf(serverCount > 1)

let world: World
beforeEach(async () => {
  world = await openWorld({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
})
afterEach(() => world?.stop())

const start = async (client: Client, query: string): Promise<string> =>
  (await data<{ id: string }>(client.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query }))).id

/** Starts runs whose model does not answer: the clock stands still. */
const startHanging = (client: Client, count: number) =>
  Promise.all(Array.from({ length: count }, () => start(client, '/sleep 60000')))

const inState = async (client: Client, state: string): Promise<string[]> => {
  const { body } = await client.get(`/api/v1/agent-runs?states=${state}&limit=100`)
  return body.agentRuns.map(({ id }: { id: string }) => id)
}

const running = (client: Client, count: number) =>
  eventually(`${count} running runs`, async () => (await inState(client, 'running')).length === count)

const completes = async (client: Client) => {
  const id = await start(client, '/say hello')
  await eventually('the end of the short run', async () => (await inState(client, 'completed')).includes(id))
}

single('beside other organizations', () => {
  let others: [Organization, Organization]
  beforeEach(async () => {
    others = [await newOrganization(world), await newOrganization(world)]
  })

  test('runs of others complete while 64 runs of one organization hang, and while those of a second one do', async () => {
    const [second, third] = others
    await startHanging(world.owner, 64)
    await running(world.owner, 56)
    await completes(second.client)
    await startHanging(second.client, 64)
    await running(second.client, 7)
    await completes(third.client)
    expect(await inState(world.owner, 'queued')).toHaveLength(8)
    expect(await inState(second.client, 'queued')).toHaveLength(57)
  })

  test('slots that become free go to the organization that holds less', async () => {
    const [{ client: second }] = others
    await startHanging(world.owner, 64)
    await running(world.owner, 56)
    await startHanging(second, 64)
    await running(second, 7)
    for (const id of (await inState(world.owner, 'running')).slice(0, 14)) {
      await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
      await eventually('all slots but two', async () => {
        const held = [await inState(world.owner, 'running'), await inState(second, 'running')]
        return held.flat().length >= 62
      })
    }
    await running(second, 20)
    expect(await inState(world.owner, 'running')).toHaveLength(42)
  })

  test('an organization takes more slots as its own runs end', async () => {
    const ids = await startHanging(world.owner, 60)
    await running(world.owner, 56)
    const queued = await inState(world.owner, 'queued')
    expect(queued).toHaveLength(4)
    const ending = ids.filter((id) => !queued.includes(id)).slice(0, 4)
    for (const id of ending) await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    await eventually('no queued run', async () => (await inState(world.owner, 'queued')).length === 0)
    await running(world.owner, 56)
  })
})

single('the only organization', () => {
  test('takes all slots, but not all again once there is another one', async () => {
    const ids = await startHanging(world.owner, 66)
    await running(world.owner, 64)

    await newOrganization(world)
    // what was found out about the store counts for five seconds
    world.clock.advance(5_000)
    for (const id of ids.slice(0, 32)) await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    await startHanging(world.owner, 32)
    await running(world.owner, 56)
    expect((await inState(world.owner, 'queued')).length).toBeGreaterThan(0)
  })
})
