/** The API of runs: the real app, statechart and store, with runs that are driven by hand instead of by a runner. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { createRunMachine } from '../../machines/run.ts'
import { SystemAgents } from '../../src/authoring/system-agents/system-agents.ts'
import { invalidApiKey, unauthenticated } from '../../src/platform/http/answers/errors.ts'
import { Idempotency } from '../../src/platform/http/changes/idempotency.ts'
import { createCursors } from '../../src/platform/http/cursor.ts'
import { type Caller, unbound } from '../../src/platform/http/guard/caller.ts'
import { createGuarded } from '../../src/platform/http/guard/guarded.ts'
import { type Permission, permissions } from '../../src/platform/http/guard/permissions.ts'
import { HttpLatency } from '../../src/platform/operating/latency.ts'
import { Lifecycle } from '../../src/platform/operating/lifecycle.ts'
import { createLogger } from '../../src/platform/operating/logger.ts'
import { RunAccess } from '../../src/runs/access.ts'
import { runKind } from '../../src/runs/actor.ts'
import { type AgentResolver, systemAgentResolver } from '../../src/runs/admission/agents.ts'
import { BindingResolver } from '../../src/runs/admission/bindings.ts'
import { RunStarts, type StartParts } from '../../src/runs/admission/start.ts'
import { QueuedInputs } from '../../src/runs/conversations/queued-inputs.ts'
import { RunForks } from '../../src/runs/forks/forks.ts'
import type { PlatformDefault } from '../../src/runs/providers/platform.ts'
import { runRoutes } from '../../src/runs/routes.ts'
import { createRuns, type RunsParts } from '../../src/runs/service.ts'
import type { Reserve } from '../../src/runs/statistics/usage.ts'
import { Actors } from '../../src/runtime/actors.ts'
import { createApp } from '../../src/server/app.ts'
import { isMember } from '../../storage/tenancy/organizations.ts'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { authenticatorOf, callerWith } from '../support/callers.ts'
import { api } from '../support/client.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'
import { HandRunner } from './hand-runner.ts'
import { id, organizations, tenants, users } from './tenants.ts'

export { organizations, users } from './tenants.ts'
export const project = id('prj', '1')
export const environment = id('env', '1')
export const assistant = 'agt_system_assistant'

const caller = (key: string, changes: Partial<Caller> = {}): Caller =>
  callerWith({
    principal: { type: 'apiKey', id: id('key', key) },
    userId: users.owner,
    organizationId: organizations.ours,
    permissions: new Set(permissions),
    ...changes,
  })
const without = (permission: Permission) => new Set(permissions.filter((name) => name !== permission))

/** The callers, by bearer token. */
export const callers = {
  owner: caller('1'),
  sibling: caller('2'),
  foreigner: caller('3', { userId: users.foreigner, organizationId: organizations.foreign }),
  colleague: caller('4', { userId: users.colleague }),
  session: caller('5', { principal: { type: 'user', id: users.owner } }),
  powerless: caller('6', { permissions: new Set() }),
  impersonal: caller('7', { permissions: without('agent-runs:personalize') }),
  /** May read no steps, and so no output. */
  wordless: caller('a', { permissions: without('agent-runs:steps:get') }),
  /** The same, restricted to one Project. */
  elsewhere: caller('b', {
    permissions: without('agent-runs:steps:get'),
    granted: new Map([[id('prj', '2'), new Set<Permission>(['agent-runs:steps:get'])]]),
  }),
  bound: caller('8', { scope: { ...unbound, projectId: project } }),
  boundToAgent: caller('9', { scope: { ...unbound, projectId: project, agentId: id('agt', '1') } }),
  granted: caller('0', {
    permissions: new Set(),
    granted: new Map(
      [project, id('prj', '2')].map((each) => [each, new Set<Permission>(['agent-runs:list', 'analytics:read'])]),
    ),
  }),
}

interface WorldOptions {
  platform?: PlatformDefault | null
  reserve?: Reserve
  /** The vendors of the organization's credentials. */
  credentials?: string[]
  agents?: (system: AgentResolver) => AgentResolver
  /** The number of runs that stay in memory. */
  cacheSize?: number
}

export async function openWorld(options: WorldOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-runs-'))
  const store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  await store.commit(tenants(store))
  const clock = new HandClock()
  const errors: unknown[] = []
  const nothing = () => {}
  const actors = new Actors({
    store,
    clock,
    kinds: [
      runKind(createRunMachine(), {
        offerToRunners: nothing,
        signalWorker: nothing,
        releaseMachine: nothing,
        lookForDecisions: async () => {},
        withdrawApprovals: nothing,
        breakOffCalls: nothing,
        startNextInput: nothing,
      }),
    ],
    ...(options.cacheSize && { cacheSize: options.cacheSize }),
    random: () => 0.5,
    onError: (error) => errors.push(error),
  })
  const lifecycle = new Lifecycle()
  const guarded = createGuarded({
    lifecycle,
    authenticator: authenticatorOf((authorization) => {
      if (authorization === null) throw unauthenticated()
      const name = authorization.slice('Bearer '.length)
      if (!Object.hasOwn(callers, name)) throw invalidApiKey()
      return callers[name as keyof typeof callers]
    }),
  })
  const systemAgents = systemAgentResolver(await SystemAgents.publish(store, clock))
  const idempotency = new Idempotency({ store, clock })
  const platform: PlatformDefault = { provider: 'sandbox', model: 'sandbox', apiKey: null }
  const parts: StartParts & Omit<RunsParts, 'starts' | 'forks' | 'queuedInputs'> = {
    store,
    actors,
    clock,
    cursors: createCursors(new Uint8Array(32).fill(1)),
    idempotency,
    agents: options.agents?.(systemAgents) ?? systemAgents,
    bindings: new BindingResolver({
      platform: options.platform === undefined ? platform : options.platform,
      baseUrls: {},
      credentials: {
        newestActive: async (_, provider) =>
          options.credentials?.includes(provider) ? { id: id('crd', '1'), version: 3 } : undefined,
      },
    }),
    reserve: options.reserve ?? (() => undefined),
    pins: { content: () => ({ name: 'Assistant', content: { instructions: '' } }) },
    isMember: (organizationId, userId) => isMember(store, organizationId, userId),
    contentRetentionMs: 30 * 86_400_000,
    version: '9.8.7',
    onDamaged: (damage) => errors.push(damage),
  }
  const queuedInputs = new QueuedInputs({ ...parts, onError: (error) => errors.push(error) })
  const forks = new RunForks({
    ...parts,
    access: new RunAccess(store, actors),
    limitsOf: () => null,
    isEnabled: () => true,
  })
  const runs = createRuns({ ...parts, forks, queuedInputs, starts: new RunStarts(parts) })
  const app = createApp({
    guarded,
    logger: createLogger('silent'),
    latency: new HttpLatency(),
    clock,
    lifecycle,
    registry: new Registry(),
    checks: {},
    publicUrl: 'http://localhost',
    version: '9.8.7',
    areas: [runRoutes({ guarded, runs })],
  })
  const runner = new HandRunner(actors, clock)
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
    /** The path of the store's file. */
    file: join(folder, 'troupe.db'),
    store,
    actors,
    clock,
    runs,
    idempotency,
    runner,
    errors,
    ...clients,
    stranger: api(app, null),
    start,
    async startIn(state: string, body: object = {}) {
      const runId = await start(body)
      await runner.lead(runId, state)
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
