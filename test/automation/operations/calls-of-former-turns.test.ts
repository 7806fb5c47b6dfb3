/**
 * Calls of runs that are stored late, for instance by a server that has paused between its look at the run and its
 * commit. Source: contract 6, "the operation never runs".
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  type InvocationKind,
  type InvocationSeed,
  invocationAddress,
  invocationKind,
} from '../../../src/automation/operations/invocations/actor.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { committingAfter } from '../../support/meanwhile.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { openPlanted, plantedAgent, plantedRun } from './planted-world.ts'

const runId = 'run_1'

let store: Store
let actors: Actors
let kind: InvocationKind
let performed: string[]
beforeEach(async () => {
  store = await openMigrated()
  await store.commit([
    ...plantedAgent,
    ...plantedRun(runId, 'running', 2),
    raw('insert into call_results (run_id, tool_call_id, outcome, created_at) values (?, ?, ?, 0)', runId, 'old', '{}'),
  ])
  actors = new Actors({ store, clock: new HandClock() })
  performed = []
  const effects = { perform: (id: string) => void performed.push(id), abort: () => {}, tellOrigin: async () => {} }
  kind = invocationKind({ approvalTtlMs: 1_000 }, effects)
  actors.register([kind])
})
afterEach(() => store?.close())

async function call(chain: number, toolCallId = 'call_1') {
  const id = newId('opi')
  const seed: InvocationSeed = {
    id,
    organization_id: 'org_1',
    project_id: 'prj_1',
    environment_id: 'env_1',
    deployment_id: 'dep_1',
    agent_id: 'agt_1',
    operation: 'shop.send',
    agent_run_id: runId,
    tool_call_id: toolCallId,
    run_chain: chain,
    workflow_run_id: null,
    step_id: null,
    attempt: null,
    user_id: null,
    idempotency_key: null,
    request_digest: null,
    depth: 0,
    trace: null,
    approval_id: null,
    input: '{}',
    created_by_type: 'user',
    created_by_id: 'usr_1',
  }
  const input = { repeatable: false, awaited: false, performer: 'here' }
  await actors.create(invocationAddress(id), { input, seed, named: 'invoke' }, { chart: kind.chartFor(false) })
  return id
}

const refused = expect.objectContaining({ code: 'concurrent_change' })

test('a call of the current turn is made', async () => {
  expect(performed).toEqual([await call(2)])
})

test('a call of a turn that was canceled, and from which the run has continued, is not made', async () => {
  await expect(call(1)).rejects.toEqual(refused)
  expect(performed).toEqual([])
})

test('a call that was answered in the meantime is not made', async () => {
  await expect(call(2, 'old')).rejects.toEqual(refused)
  expect(performed).toEqual([])
})

test.each(['ask', 'send'])('a call of %s by a former attempt of the same turn is not made', async (operation) => {
  let replaced = async () => {}
  const world = await openPlanted({ over: (stored) => committingAfter(stored, () => replaced()) })
  try {
    const id = await world.run('running')
    const nextAttempt = raw('update runs set context = ? where id = ?', '{"lease":{"fencingToken":2}}', id)
    replaced = () => world.store.commit([nextAttempt])
    await expect(world.call(id, operation)).rejects.toMatchObject({ code: 'tool_error' })
    expect(await world.store.all({ sql: 'select id from operation_invocations', parameters: [] })).toEqual([])
  } finally {
    await world.stop()
  }
})
