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
import { planting, raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/migrated-store.ts'

const place = { organizationId: 'org_1', projectId: 'prj_1', environmentId: 'env_1' }
const runId = 'run_1'

let store: Store
let actors: Actors
let kind: InvocationKind
let performed: string[]
beforeEach(async () => {
  store = await openMigrated()
  await store.commit([
    ...planting(place),
    raw("update environments set active_deployment_id = 'dep_1'"),
    raw(
      `insert into agents (id, organization_id, project_id, slug, name, status, created_at, updated_at)
        values ('agt_1', 'org_1', 'prj_1', 'clerk', '', 'active', 0, 0)`,
    ),
    raw(
      `insert into runs (id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_revision_id,
        created_by_type, created_by_id, state, version, machine_version, context, binding, input_digest,
        runtime_version, retention_expires_at, available_at, last_activity_kind, last_activity_at, created_at, updated_at)
      values (?, 'org_1', 'prj_1', 'env_1', 'dep_1', 'agt_1', 'agr_1', 'user', 'usr_1', 'running', 1, '1', '{}', '{}',
        '', '1', 0, 0, 'create', 0, 0, 0)`,
      runId,
    ),
    ...[1, 2].map((chain) =>
      raw('insert into run_inputs (run_id, chain, body, created_at) values (?, ?, ?, 0)', runId, chain, '{}'),
    ),
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
