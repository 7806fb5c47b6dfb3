/** Calls that were approved and take long: nobody is asked again. Source: contract 5, 12. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { framesOf } from '../../support/run-records.ts'
import { data } from '../../support/world/replies.ts'
import { connect, send, stateOf, task } from '../a2a-client.ts'
import { type AnyChat, chatOf, last, say, textOf } from '../ai-sdk-chat.ts'
import { openWorld, type World } from '../world.ts'

type Pending = { kind: string; toolCallId: string; invocationId?: string; approvalId?: string }
type Run = { id: string; state: string; awaiting?: { kind: string; pending: Pending[] } }

let world: World
let shop: PromiseWithResolvers<Response>
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  shop = Promise.withResolvers<Response>()
  world.shop.answer = () => shop.promise
})

const read = (id: string) => data<Run>(world.owner.get(`/api/v1/agent-runs/${id}`))
const ship = () => shop.resolve(Response.json({ ok: true }))
// biome-ignore lint/suspicious/noExplicitAny: the states of a part have their own fields
const refundIn = (chat: AnyChat): any => chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-refund')
const asking = '/call refund {"order":1}\n/say Done'

describe('a call that was approved and goes on', () => {
  test('is what the run waits for, from the answer to the approval on', async () => {
    const { id } = await world.run(world.home, world.agent.agentId, asking)
    const [asked] = (await read(id)).awaiting!.pending
    expect(asked).toMatchObject({ kind: 'approval', approvalId: expect.any(String) })
    await world.decide('approve')
    const { approvalId: _, ...call } = asked!
    expect((await read(id)).awaiting).toEqual({ ...call, kind: 'operation', pending: [{ ...call, kind: 'operation' }] })
    ship()
    await world.ended(id, ['completed'])
    const asks = (await framesOf(world.owner, id)).filter(({ event }) => event === 'input.requested')
    expect(asks.map(({ data }) => data.data.kind)).toEqual(['approval', 'operation'])
  })

  test('is shown as running by a chat that is loaded again', async () => {
    const chat = chatOf(world, { agent: world.address })
    await say(chat, asking)
    expect(refundIn(chat)).toMatchObject({ state: 'approval-requested' })
    await world.decide('approve')
    const again = chatOf(world, { id: chat.id, agent: world.address, messages: chat.messages.slice(0, 1) })
    const resuming = again.resumeStream()
    await eventually('the call', () => refundIn(again)?.state === 'input-available')
    ship()
    await resuming
    expect(textOf(last(again))).toContain('Done')
    expect(refundIn(again)).toMatchObject({ state: 'output-available', output: { ok: true } })
  })

  test('is work in progress for a client of A2A', async () => {
    const desk = await connect(world, world.address)
    const { id } = await send(desk, asking)
    expect(stateOf(await task(desk, id))).toBe('INPUT_REQUIRED')
    await world.decide('approve')
    expect(stateOf(await task(desk, id))).toBe('WORKING')
    const following = Array.fromAsync(desk.resubscribeTask({ tenant: '', id }))
    ship()
    await following
    expect(stateOf(await task(desk, id))).toBe('COMPLETED')
  })
})
