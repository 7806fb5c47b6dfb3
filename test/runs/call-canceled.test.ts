/** A run that was aborted with its caller cannot be continued; one that was merely canceled can. Source: contract 5. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runAddress } from '../../src/runs/record.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test.each(['queued', 'acquiring', 'starting', 'running', 'canceling', 'awaitingToolResult', 'awaitingDelegateResult'])(
  'aborted while %s',
  async (state) => {
    const continued = async (runId: string) =>
      await world.owner.post(`/api/v1/agent-runs/${runId}/continue`, { query: 'Go on.' })
    for (const withCall of [true, false]) {
      const runId = await world.startIn(state)
      const { actor } = await world.actors.send(runAddress(runId), { type: 'cancel', withCall })
      if (actor.state === 'canceling') await world.runner.end(runId, { type: 'reported' })
      const { status, body } = await continued(runId)
      if (!withCall) expect({ status, state: body.data.state }).toEqual({ status: 200, state: 'queued' })
      else {
        expect(status).toBe(409)
        expect(body.error).toMatchObject({
          code: 'invalid_transition',
          details: { currentState: 'canceled', conflictReason: 'call_canceled' },
        })
      }
    }
  },
)
