/** The runs of the API: the real app, statechart and store, with runs that are driven by hand instead of by a runner. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import type { AnyEventObject } from 'xstate'
import { createRunMachine, type RunContext } from '../../../machines/run.ts'
import { createApp } from '../../../src/app.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { createCursors } from '../../../src/http/cursor.ts'
import { invalidApiKey, unauthenticated } from '../../../src/http/errors.ts'
import { createGuarded } from '../../../src/http/guarded.ts'
import { Idempotency } from '../../../src/http/idempotency.ts'
import { type Permission, permissions } from '../../../src/http/permissions.ts'
import { HttpLatency } from '../../../src/operating/latency.ts'
import { Lifecycle } from '../../../src/operating/lifecycle.ts'
import { createLogger } from '../../../src/operating/logger.ts'
import type { PlatformDefault } from '../../../src/providers/platform.ts'
import type { CheckpointReport } from '../../../src/runner/protocol.ts'
import { type RunRecord, runAddress, runKind } from '../../../src/runs/actor.ts'
import { type AgentResolver, systemAgentResolver } from '../../../src/runs/agents.ts'
import { BindingResolver } from '../../../src/runs/bindings.ts'
import { type CheckpointTrail, checkpointRow } from '../../../src/runs/checkpoints.ts'
import type { Report } from '../../../src/runs/reports.ts'
import { runRoutes } from '../../../src/runs/routes.ts'
import { createRuns } from '../../../src/runs/service.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { SystemAgents } from '../../../src/system-agents/system-agents.ts'
import { openStore } from '../../../storage/open.ts'
import { insertMembership, insertOrganization, isMember } from '../../../storage/organizations.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow } from '../../../storage/tables.ts'
import { insertUser } from '../../../storage/users.ts'
import { HandClock } from '../../statecharts/clock.ts'
import { api } from '../../support/client.ts'

const id = (prefix: string, digit: string) => `${prefix}_0${digit.repeat(25)}`
export const organizations = { ours: id('org', '1'), foreign: id('org', '2') }
export const users = { owner: id('usr', '1'), colleague: id('usr', '2'), foreigner: id('usr', '3') }
export const project = id('prj', '1')
export const environment = id('env', '1')
export const assistant = 'agt_system_assistant'

const unbound = { projectId: null, environmentId: null, agentId: null }
const caller = (key: string, changes: Partial<Caller> = {}): Caller => ({
  principal: { type: 'apiKey', id: id('key', key) },
  userId: users.owner,
  organizationId: organizations.ours,
  permissions: new Set(permissions),
  scope: unbound,
  ...changes,
})
const without = (permission: Permission) => new Set(permissions.filter((name) => name !== permission))

/** Who calls, by bearer token. */
export const callers = {
  owner: caller('1'),
  sibling: caller('2'),
  foreigner: caller('3', { userId: users.foreigner, organizationId: organizations.foreign }),
  colleague: caller('4', { userId: users.colleague }),
  session: caller('5', { principal: { type: 'user', id: users.owner } }),
  powerless: caller('6', { permissions: new Set() }),
  impersonal: caller('7', { permissions: without('agent-runs:personalize') }),
  bound: caller('8', { scope: { ...unbound, projectId: project } }),
}

export interface WorldOptions {
  platform?: PlatformDefault | null
  assertBudget?: (caller: Caller) => void
  /** Vendors that the organization has a credential for. */
  credentials?: string[]
  agents?: (system: AgentResolver) => AgentResolver
  /** How many runs stay in memory. */
  cacheSize?: number
}

export const noExecution = JSON.stringify({
  provider: null,
  model: null,
  finishReason: null,
  toolCallId: null,
  retries: 0,
})
const lost = { code: 'provider_error', message: 'The vendor is away.' }

export async function openWorld(options: WorldOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-runs-'))
  const store = await openStore(`sqlite:${join(folder, 'troupe.db')}`)
  await store.commit(tenants(store))
  const clock = new HandClock()
  const errors: unknown[] = []
  const nothing = () => {}
  const actors = new Actors({
    store,
    clock,
    kinds: [runKind(createRunMachine(), { offerToRunners: nothing, signalWorker: nothing, releaseMachine: nothing })],
    ...(options.cacheSize && { cacheSize: options.cacheSize }),
    random: () => 0.5,
    onError: (error) => errors.push(error),
  })
  const lifecycle = new Lifecycle()
  const guarded = createGuarded({
    lifecycle,
    authenticator: {
      authenticate(authorization) {
        if (authorization === null) throw unauthenticated()
        const name = authorization.slice('Bearer '.length)
        if (!Object.hasOwn(callers, name)) throw invalidApiKey()
        return callers[name as keyof typeof callers]
      },
    },
  })
  const systemAgents = systemAgentResolver(await SystemAgents.publish(store, clock))
  const idempotency = new Idempotency({ store, clock })
  const platform: PlatformDefault = { provider: 'sandbox', model: 'sandbox', apiKey: null }
  const runs = createRuns({
    store,
    actors,
    clock,
    cursors: createCursors(new Uint8Array(32).fill(1)),
    idempotency,
    agents: options.agents?.(systemAgents) ?? systemAgents,
    bindings: new BindingResolver({
      platform: options.platform === undefined ? platform : options.platform,
      baseUrls: {},
      credentials: { has: (_, provider) => options.credentials?.includes(provider) ?? false },
    }),
    assertBudget: options.assertBudget ?? nothing,
    isMember: (organizationId, userId) => isMember(store, organizationId, userId),
    version: '9.8.7',
    onDamagedCheckpoint: (damage) => errors.push(damage),
  })
  const app = createApp({
    guarded,
    logger: createLogger('silent'),
    latency: new HttpLatency(),
    lifecycle,
    registry: new Registry(),
    checks: {},
    publicUrl: 'http://localhost',
    version: '9.8.7',
    areas: [runRoutes({ guarded, idempotency, runs })],
  })
  let fence = 0
  let ids = 0
  const trails = new Map<string, CheckpointTrail>()

  const send = (runId: string, event: AnyEventObject) => actors.send<RunRecord>(runAddress(runId), event)
  const contextOf = async (runId: string) =>
    (await actors.read<RunRecord, RunContext>(runAddress(runId)))?.context as RunContext
  const stepRow = (runId: string, attempt: number, changes: Partial<AgentStepRow>): AgentStepRow => ({
    agent_step_id: ++ids,
    run_id: runId,
    parent_agent_step_id: null,
    kind: 'agent',
    name: 'Assistant',
    status: 'running',
    attempt,
    agent: JSON.stringify({ agentId: assistant, agentRevisionId: 'agr_1', name: 'Assistant' }),
    execution: noExecution,
    token_usage: JSON.stringify({
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    }),
    input: null,
    output: null,
    error: null,
    last_checkpoint_id: null,
    started_at: clock.now(),
    ended_at: null,
    created_at: clock.now(),
    updated_at: clock.now(),
    ...changes,
  })

  /** What a runner would do. */
  const runner = {
    async begin(runId: string) {
      const fencingToken = ++fence
      await send(runId, { type: 'leaseRequested', attemptId: `att_${fence}`, machine: 'm1' })
      await send(runId, { type: 'leased', fencingToken })
      const rootStep = stepRow(runId, (await contextOf(runId)).attempt, {})
      await send(runId, { type: 'booted', fencingToken, rootStep })
      return rootStep.agent_step_id
    },
    async report(runId: string, ...reports: Report[]) {
      await send(runId, { type: 'progressed', fencingToken: (await contextOf(runId)).lease?.fencingToken, reports })
    },
    async startStep(runId: string, changes: Partial<AgentStepRow>) {
      const row = stepRow(runId, (await contextOf(runId)).attempt, { kind: 'model', name: 'sandbox', ...changes })
      await runner.report(runId, { report: 'stepStarted', row })
      return row.agent_step_id
    },
    deltas: (runId: string, agentStepId: number, ...texts: string[]) =>
      runner.report(runId, {
        report: 'streamed',
        deltas: texts.map((text) => ({ type: 'step.delta', agentStepId, data: { kind: 'text', text } })),
      }),
    async checkpoint(runId: string, agentStepId: number, report: CheckpointReport) {
      const place = { checkpointId: ++ids, runId, agentStepId, attempt: (await contextOf(runId)).attempt }
      const { row, trail } = checkpointRow({ previous: trails.get(runId) ?? null, report, place, at: clock.now() })
      trails.set(runId, trail)
      await runner.report(runId, { report: 'checkpointed', row })
      return place.checkpointId
    },
    async end(runId: string, event: AnyEventObject) {
      const fencingToken = (await contextOf(runId)).lease?.fencingToken
      await send(runId, { reportDigest: 'sha256:x', ...event, fencingToken })
    },
    complete: (runId: string, output: unknown = 'Done.') =>
      runner.end(runId, {
        type: 'completed',
        stopReason: 'end_turn',
        output,
        outputDigest: `sha256:${'1'.repeat(64)}`,
      }),
    awaitTools: (runId: string, ...calls: string[]) =>
      runner.end(runId, {
        type: 'toolResultNeeded',
        awaiting: calls.map((toolCallId) => ({ kind: 'tool', toolName: 'ask', toolCallId, input: { q: 1 } })),
      }),
    awaitDelegates: (runId: string, ...calls: string[]) =>
      runner.end(runId, {
        type: 'delegateResultNeeded',
        awaiting: calls.map((toolCallId) => ({ kind: 'delegate', toolName: 'agent', toolCallId, input: {} })),
      }),
  }

  /** Starts a run and leads it into a state. */
  const lead: Record<string, (runId: string) => Promise<unknown>> = {
    queued: async () => {},
    acquiring: (runId) => send(runId, { type: 'leaseRequested', attemptId: 'att_1', machine: 'm1' }),
    starting: async (runId) => {
      await lead.acquiring?.(runId)
      await send(runId, { type: 'leased', fencingToken: ++fence })
    },
    running: (runId) => runner.begin(runId),
    awaitingToolResult: async (runId) => {
      await runner.begin(runId)
      await runner.awaitTools(runId, 'call_1')
    },
    awaitingDelegateResult: async (runId) => {
      await runner.begin(runId)
      await runner.awaitDelegates(runId, 'call_1')
    },
    canceling: async (runId) => {
      await runner.begin(runId)
      await send(runId, { type: 'cancel' })
    },
    completed: async (runId) => {
      await runner.begin(runId)
      await runner.complete(runId)
    },
    failed: async (runId) => {
      await runner.begin(runId)
      await runner.end(runId, { type: 'failed', cause: lost })
    },
    canceled: (runId) => send(runId, { type: 'cancel' }),
    expired: (runId) => send(runId, { type: 'queueDeadline' }),
  }

  const clients = Object.fromEntries(Object.keys(callers).map((name) => [name, api(app, name)])) as Record<
    keyof typeof callers,
    ReturnType<typeof api>
  >
  const start = async (body: object = {}) => {
    const { status, body: answer } = await clients.owner.post('/api/v1/agent-runs', {
      agentId: assistant,
      query: 'Hello',
      ...body,
    })
    if (status !== 200) throw new Error(JSON.stringify(answer))
    return answer.data.id as string
  }

  return {
    app,
    store,
    actors,
    clock,
    runs,
    idempotency,
    runner,
    errors,
    ...clients,
    stranger: api(app, null),
    send,
    start,
    async startIn(state: string, body: object = {}) {
      const runId = await start(body)
      await lead[state]?.(runId)
      return runId
    },
    async close() {
      runs.streams.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

function tenants(store: Store) {
  const at = Date.parse('2026-01-01')
  return [
    ...Object.values(organizations).map((organizationId, index) =>
      insertOrganization(store, {
        id: organizationId,
        slug: `org-${index}`,
        name: 'Organization',
        kind: 'team',
        status: 'active',
        created_at: at,
        updated_at: at,
      }),
    ),
    ...Object.entries(users).map(([name, userId]) =>
      insertUser(store, { id: userId, email: `${name}@example.com`, name, password_hash: '-', created_at: at }),
    ),
    ...Object.entries(users).map(([name, userId]) =>
      insertMembership(store, {
        organization_id: name === 'foreigner' ? organizations.foreign : organizations.ours,
        user_id: userId,
        role: 'member',
        created_at: at,
      }),
    ),
  ]
}
