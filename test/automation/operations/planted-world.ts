/** Invocations and workflow runs of planted runs, without a server: what happens is what a test calls. */
import { InvocationWork } from '../../../src/automation/operations/invocations/invocation-work.ts'
import { Operations } from '../../../src/automation/operations/operations.ts'
import { WorkflowCalls } from '../../../src/automation/tools/workflow-calls.ts'
import { workflowRunAddress } from '../../../src/automation/workflows/actor.ts'
import { planOf } from '../../../src/automation/workflows/plan.ts'
import { WorkflowWork } from '../../../src/automation/workflows/workflow-work.ts'
import type { Bundle } from '../../../src/delivery/deployments/bundle.ts'
import { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import { type Members, OneMember } from '../../../src/platform/members/members.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { planting, raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { echoOperation } from '../../support/world/places.ts'
import { httpOperation } from './world.ts'

const place = { organizationId: 'org_1', projectId: 'prj_1', environmentId: 'env_1' }
const operations = [
  echoOperation('ask', { approval: 'always' }),
  echoOperation('echo'),
  httpOperation('send', { method: 'POST' }, { effect: 'write', idempotent: false }),
  httpOperation('look', { method: 'GET' }, { effect: 'read', idempotent: true }),
]

const bundleOf = (steps: readonly object[]) =>
  new DeployedBundle({
    ...place,
    deploymentId: 'dep_1',
    agents: [{ agentId: 'agt_1', slug: 'clerk', grantedOperations: operations.map(({ name }) => `shop.${name}`) }],
    definitions: [
      { definitionId: 'dfn_1', name: 'shop', source: { operations } },
      { definitionId: 'dfn_2', definitionRevisionId: 'dfr_2', name: 'flow', source: { params: {}, steps } },
    ],
  } as unknown as Bundle)

/** An Environment with an active Deployment, and an Agent. */
export const plantedAgent: readonly Write[] = [
  ...planting(place),
  raw("update environments set active_deployment_id = 'dep_1'"),
  raw(
    `insert into agents (id, organization_id, project_id, slug, name, status, created_at, updated_at)
      values ('agt_1', 'org_1', 'prj_1', 'clerk', '', 'active', 0, 0)`,
  ),
]

/** A run of the Agent in this state, with the inputs of its turns. */
export const plantedRun = (id: string, state: string, turns = 1): Write[] => [
  raw(
    `insert into runs (id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_revision_id,
      created_by_type, created_by_id, state, version, machine_version, context, binding, input_digest, runtime_version,
      retention_expires_at, available_at, last_activity_kind, last_activity_at, created_at, updated_at)
    values (?, 'org_1', 'prj_1', 'env_1', 'dep_1', 'agt_1', 'agr_1', 'user', 'usr_1', ?, 1, '1', '{"lease":{"fencingToken":1}}', '{}', '', '1', 0,
      0, 'create', 0, 0, 0)`,
    id,
    state,
  ),
  ...Array.from({ length: turns }, (_, turn) =>
    raw('insert into run_inputs (run_id, chain, body, created_at) values (?, ?, ?, 0)', id, turn + 1, '{}'),
  ),
]

interface Planted {
  /** The steps of the workflow. */
  steps?: { id: string; operation: string; input?: object }[]
  /** The calls over HTTP; by default they take until they are aborted. */
  make?(call: { callKey: string; signal: AbortSignal }): Promise<unknown>
  over?(store: Store): Store
  members?(clock: HandClock): Members
}

const untilAborted = ({ signal }: { signal: AbortSignal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

export async function openPlanted({ steps = [], make = untilAborted, over = (store) => store, members }: Planted = {}) {
  const stored = await openMigrated()
  const store = over(stored)
  const clock = new HandClock()
  await stored.commit(plantedAgent)
  const bundle = bundleOf(steps)
  const bundles = { find: () => bundle } as never
  const actors = new Actors({ store, clock })
  const errors: unknown[] = []
  const told: string[] = []
  const none = { cancel: async () => undefined } as never
  const invocations = new InvocationWork({
    store,
    clock,
    actors,
    bundles,
    hints: { on() {}, tell: (_: string, id: string) => void told.push(id) } as never,
    limits: { approvalTtlMs: 1_000_000_000 },
    operations: new Operations({ http: { make } as never, mcp: none, workers: none, agents: none }),
    traces: null,
    members: members?.(clock) ?? new OneMember(clock, '1'),
    onError: (error) => void errors.push(error),
  })
  const calls = new WorkflowCalls({ store, clock, actors })
  const tellRun = (id: string) => calls.notify(id)
  const workflows = new WorkflowWork({ store, clock, bundles, actors, invocations, traces: null, tellRun })
  actors.register([invocations.kind, workflows.kind])

  return {
    store: stored,
    clock,
    actors,
    errors,
    /** The ids of hints to other servers. */
    told,
    invocations,
    workflows,
    /** Calls of runs that start workflows. */
    calls,
    bundle,

    /** A run in this state. */
    async run(state: string): Promise<string> {
      const id = newId('run')
      await stored.commit(plantedRun(id, state))
      return id
    },
    /** The run moves without its effects, which come late. */
    move: (id: string, state: string) => stored.commit([raw('update runs set state = ? where id = ?', state, id)]),
    /** The run continues with a message. */
    carryOn: (id: string, chain: number) =>
      stored.commit([
        raw("update runs set state = 'running' where id = ?", id),
        raw('insert into run_inputs (run_id, chain, body, created_at) values (?, ?, ?, 0)', id, chain, '{}'),
      ]),
    /** A call of the run. Returns the invocation's id. */
    async call(agentRunId: string, operation: string, chain = 1): Promise<string> {
      const origin = { type: 'run' as const, agentRunId, toolCallId: newId('opi') }
      const by = { type: 'user' as const, id: 'usr_1' }
      const agent = bundle.agent('agt_1')!
      const asked = { bundle, agent, operation: `shop.${operation}`, input: {}, by, origin }
      return (await invocations.begin(asked, { run: { chain, fencingToken: 1, createdById: 'usr_1' } })).id
    },
    /** A run of the workflow, before its first steps. */
    async flow(): Promise<string> {
      const id = newId('wfr')
      const row = {
        id,
        organization_id: 'org_1',
        project_id: 'prj_1',
        environment_id: 'env_1',
        deployment_id: 'dep_1',
        agent_id: 'agt_1',
        definition_id: 'dfn_2',
        definition_revision_id: 'dfr_2',
        definition_name: 'flow',
        request_key: null,
        parent_run_id: null,
        parent_step_id: null,
        parent_attempt: null,
        depth: 0,
        agent_job_id: null,
        agent_run_id: null,
        tool_call_id: null,
        run_chain: null,
        request_digest: '',
        actor_user_id: null,
        trace: null,
        created_by_type: 'user',
        created_by_id: 'usr_1',
      }
      const input = { steps: planOf({ steps } as never), bytes: 0, hasOutput: false, at: clock.now() }
      await actors.create(workflowRunAddress(id), { input, seed: { row, params: {} }, named: 'start' })
      return id
    },
    async stateOf(id: string): Promise<string | undefined> {
      const table = id.startsWith('wfr_') ? 'workflow_runs' : 'operation_invocations'
      return (
        await stored.first<{ state: string }>({ sql: `select state from ${table} where id = ?`, parameters: [id] })
      )?.state
    },
    async isCanceled(id: string): Promise<boolean> {
      const sql = 'select context from operation_invocations where id = ?'
      const found = await stored.first<{ context: string }>({ sql, parameters: [id] })
      return JSON.parse(found?.context ?? '{}').canceled === true
    },
    stop: async () => {
      await invocations.stop(0)
      await stored.close()
    },
  }
}
export type PlantedWorld = Awaited<ReturnType<typeof openPlanted>>
