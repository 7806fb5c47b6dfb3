/**
 * A server that is late with a call. If it has paused until another one has taken the call over and ended it, it starts
 * nothing for the call any more. Source: contract 5, "not repeated"; scale-out, "Failures".
 */
import { afterEach, expect, test } from 'bun:test'
import { AgentCalls } from '../../../src/automation/operations/agent-calls.ts'
import { invocationAddress } from '../../../src/automation/operations/invocations/actor.ts'
import { WorkerCalls } from '../../../src/automation/workers/worker-calls.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import type { RunStarts } from '../../../src/runs/admission/start.ts'
import { raw } from '../../events/history/feed-world.ts'
import { eventually } from '../../support/process.ts'
import { openPlanted, type PlantedWorld } from './planted-world.ts'

let world: PlantedWorld
afterEach(() => world?.stop())

/** A call in progress at this server. */
async function executing() {
  world = await openPlanted()
  return world.call(await world.run('running'), 'send')
}

/** Another server takes the call over, finds that its run is canceled, and ends it. */
async function endElsewhere(id: string) {
  const { actors, invocations } = world
  const address = invocationAddress(id)
  await actors.send(address, { type: 'cancel' })
  await world.store.commit([
    raw(
      "update operation_invocations set version = version + 1, performer = 'other', state = 'failed' where id = ?",
      id,
    ),
  ])
  actors.forget(address)
  return invocations
}

const bundle = {
  bundle: {
    organizationId: 'org_1',
    projectId: 'prj_1',
    environmentId: 'env_1',
    agents: [{ slug: 'helper', agentId: 'agt_1' }],
  },
}

test('of two servers that are asked for one call at once, the later one answers with the call of the other', async () => {
  const made: string[] = []
  world = await openPlanted({ make: async ({ callKey }) => void made.push(callKey) })
  const agentRunId = await world.run('running')
  const asked = {
    bundle: world.bundle,
    agent: world.bundle.agent('agt_1')!,
    operation: 'shop.send',
    input: {},
    by: { type: 'user' as const, id: 'usr_1' },
    origin: { type: 'run' as const, agentRunId, toolCallId: 'call_1' },
  }
  const facts = { run: { chain: 1, fencingToken: 1, createdById: 'usr_1' } }
  const [one, other] = await Promise.all([1, 2].map(() => world.invocations.begin(asked, facts)))
  expect(other?.id).toBe(one?.id as string)
  await eventually('its end', async () => (await world.stateOf(one?.id as string)) !== 'running')
  expect(made).toEqual([one?.id as string])
})

test('no run of another Agent is started', async () => {
  const id = await executing()
  const { store, invocations } = world
  const started: string[] = []
  const starts: Pick<RunStarts, 'startForServer'> = {
    async startForServer({ id: runId = '', record = recordNothing }) {
      await endElsewhere(id)
      await store.commit(record({}))
      started.push(runId)
      return {} as never
    },
  }
  const noRun = { read: async () => undefined, subscribe: () => () => {}, subscribeElsewhere: () => ({ end() {} }) }
  const calls = new AgentCalls({ store, actors: noRun as never, starts, performer: invocations.name })
  const asked = {
    name: 'shop.help',
    handler: { type: 'agent', agent: 'helper', query: 'Help.' },
    input: {},
    callKey: id,
  }
  const signal = AbortSignal.timeout(1_000)
  await calls.make({ bundle, ...asked, trace: null, signal } as never).catch(() => {})
  expect(started).toEqual([])
})

test('no call is queued for a worker', async () => {
  const id = await executing()
  const { store, actors, clock, invocations } = world
  const hints = { tell() {}, on() {}, isShared: true } as never
  const calls = new WorkerCalls({
    store,
    actors,
    clock,
    hints,
    limits: { leaseMs: 30_000 },
    performer: invocations.name,
    onError() {},
  })
  actors.register([calls.kind])
  await endElsewhere(id)
  const operation = { name: 'send', effect: 'write', timeoutMs: 60_000 }
  const handler = { type: 'worker', queue: 'work' }
  const call = { bundle, agent: { agentId: 'agt_1' }, name: 'shop.send', operation, handler, callKey: id }
  await calls.make({ ...call, signal: AbortSignal.timeout(1_000) } as never).catch(() => {})
  expect(await store.all({ sql: 'select id from worker_calls', parameters: [] })).toEqual([])
})
