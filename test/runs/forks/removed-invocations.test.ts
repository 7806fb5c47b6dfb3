/** Forks of runs whose operation invocations were removed by retention. Source: contract 14, "Fork". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { calls, httpOperation, type Operations, openOperations } from '../../automation/operations/world.ts'
import { eventually } from '../../support/process.ts'
import { inState } from '../../support/run-records.ts'
import { data } from '../../support/world/replies.ts'

const path = '/api/v1/agent-runs'

let world: Operations
beforeAll(async () => {
  world = await openOperations({
    environment: {
      TROUPE_RUNNER: 'embedded',
      TROUPE_OPERATION_RETENTION_DAYS: '0.000001',
      TROUPE_SWEEP_INTERVAL_MS: '100',
    },
  })
})
afterAll(() => world?.stop())

test('a message to a fork is no result of an operation, which gets another approval', async () => {
  world.shop.answer = () => Response.json({ ok: true })
  const approved = httpOperation('approved', { method: 'POST' }, { effect: 'write', approval: 'always' })
  const { place, agent, approvals, invocations } = await world.serving([approved])
  const { id } = await data<{ id: string }>(world.start(place, agent.agentId, calls(['approved'])))
  const { awaiting } = await inState(world.owner, id, 'awaitingToolResult')
  await data(world.owner.post(`${approvals}/${awaiting.pending[0].approvalId}/approve`))
  await inState(world.owner, id, 'completed')
  await eventually('the removal', async () => (await world.owner.get(invocations)).body.data.items.length === 0)

  const { items } = await data<{ items: { checkpointId: number; kind: string }[] }>(
    world.owner.get(`${path}/${id}/checkpoints`),
  )
  const { checkpointId } = items.find(({ kind }) => kind === 'suspended')!
  const fork = await data<{ id: string }>(
    world.owner.post(`${path}/${id}/fork`, { checkpointId, query: 'Rather not.' }),
  )
  const waiting = await inState(world.owner, fork.id, 'awaitingToolResult', 'completed')
  expect(waiting).toMatchObject({ state: 'awaitingToolResult', awaiting: { kind: 'approval' } })
})
