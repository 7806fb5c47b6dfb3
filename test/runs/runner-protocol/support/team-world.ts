/**
 * Runs of an agent with operations and delegates: the real app, statechart, store and attempts. A test defines the
 * agents, and what their operations do.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { defaultRunLimits } from '../../../../machines/run.ts'
import { SystemAgents } from '../../../../src/authoring/system-agents/system-agents.ts'
import { Idempotency } from '../../../../src/platform/http/changes/idempotency.ts'
import { createCursors } from '../../../../src/platform/http/cursor.ts'
import { createGuarded } from '../../../../src/platform/http/guard/guarded.ts'
import { permissions } from '../../../../src/platform/http/guard/permissions.ts'
import { openLeases } from '../../../../src/platform/leases/open-leases.ts'
import { HttpLatency } from '../../../../src/platform/operating/latency.ts'
import { Lifecycle } from '../../../../src/platform/operating/lifecycle.ts'
import { createLogger } from '../../../../src/platform/operating/logger.ts'
import { systemClock as clock } from '../../../../src/platform/time/clock.ts'
import { RunAccess } from '../../../../src/runs/access.ts'
import { systemAgentResolver } from '../../../../src/runs/admission/agents.ts'
import { BindingResolver } from '../../../../src/runs/admission/bindings.ts'
import { AdmissionPrecedence } from '../../../../src/runs/admission/precedence.ts'
import { RunStarts, type StartParts } from '../../../../src/runs/admission/start.ts'
import { Attempts } from '../../../../src/runs/attempts/attempts.ts'
import { runnerRoutes } from '../../../../src/runs/attempts/routes.ts'
import { RunnerTokens } from '../../../../src/runs/attempts/tokens.ts'
import { QueuedInputs } from '../../../../src/runs/conversations/queued-inputs.ts'
import { RunForks } from '../../../../src/runs/forks/forks.ts'
import { streamStep } from '../../../../src/runs/providers/call.ts'
import { runRoutes } from '../../../../src/runs/routes.ts'
import { RunnerPool } from '../../../../src/runs/runner/pool.ts'
import type {
  AgentContent,
  AgentMeans,
  CallOutcome,
  OperationCall,
} from '../../../../src/runs/runner/protocol/protocol.ts'
import { builtinTools } from '../../../../src/runs/runner/tools/builtins.ts'
import { createRuns, type RunsParts } from '../../../../src/runs/service.ts'
import { Actors } from '../../../../src/runtime/actors.ts'
import { allWork } from '../../../../src/runtime/work-share.ts'
import { createApp } from '../../../../src/server/app.ts'
import { keepCallResult } from '../../../../storage/runs/call-results.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { authenticatorOf, callerWith } from '../../../support/callers.ts'
import { api } from '../../../support/client.ts'
import { lease } from '../../../support/simulated-runner.ts'
import { openMigrated } from '../../../support/stores/migrated-store.ts'
import { id, organizations, tenants, users } from '../../tenants.ts'

export interface Team {
  content: Partial<AgentContent>
  means: Partial<AgentMeans>
  /** Calls an operation; by default it returns its input. */
  call?: (run: RunRow, call: OperationCall & { signal: AbortSignal }) => Promise<CallOutcome>
}

export const sandbox = { provider: 'sandbox', model: 'sandbox', reasoningBudget: null }

/** The key of all models. */
export const modelKey = 'sk-of-a-delegate-1234567890'

/** `embedded`: with a runner and the sandbox model. */
export async function openTeam(team: Team, { embedded = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-team-'))
  const store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  await store.commit(tenants(store))
  const errors: unknown[] = []
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line) => void lines.push(line) })
  const calls: (OperationCall & { runId: string })[] = []
  const actors = new Actors({ store, clock, onError: (error) => errors.push(error) })
  const attempts = new Attempts({
    actors,
    members: allWork,
    store,
    clock,
    leases: await openLeases({}),
    limits: { ...defaultRunLimits, backOffMs: 1 },
    leaseTtlMs: 30_000,
    pins: {
      content: () => ({ name: 'Lead', content: { instructions: 'Lead.', ...team.content } }),
      means: () => ({ model: sandbox, operations: {}, delegates: {}, ...team.means }),
      models: () => () => ({ ...sandbox, provider: 'sandbox', apiKey: modelKey }),
    },
    streamStep,
    operations: {
      async call(run, { signal, chain: _, ...call }) {
        calls.push({ ...call, runId: run.id })
        const outcome = (await team.call?.(run, { ...call, signal })) ?? {
          result: { did: call.toolName, ...(call.input as object) },
        }
        // like invocations
        const { toolCallId: tool_call_id } = call
        const row = { run_id: run.id, tool_call_id, outcome: JSON.stringify(outcome), created_at: clock.now() }
        await store.commit([keepCallResult(store, row)])
        return outcome
      },
    },
    isGone: () => false,
    onDamaged: (damage) => errors.push(damage),
    onError: (error) => errors.push(error),
  })
  actors.register([attempts.kind])
  await actors.start()
  const tokens = new RunnerTokens({
    key: new Uint8Array(32).fill(2),
    operatorToken: 'registration',
    registrations: { find: async () => undefined, isRevoked: () => false, noteOperatorUse() {} },
  })
  const caller = callerWith({
    principal: { type: 'apiKey', id: id('key', '1') },
    userId: users.owner,
    organizationId: organizations.ours,
    permissions: new Set(permissions),
  })
  const lifecycle = new Lifecycle()
  const guarded = createGuarded({ lifecycle, runnerCredentials: tokens, authenticator: authenticatorOf(() => caller) })
  const parts: StartParts & Omit<RunsParts, 'starts' | 'forks' | 'queuedInputs'> = {
    store,
    actors,
    clock,
    cursors: createCursors(new Uint8Array(32).fill(1)),
    idempotency: new Idempotency({ store, clock }),
    agents: systemAgentResolver(await SystemAgents.publish(store, clock)),
    bindings: new BindingResolver({
      platform: { provider: 'sandbox', model: 'sandbox', apiKey: null },
      baseUrls: {},
      credentials: { newestActive: async () => undefined },
    }),
    reserve: () => undefined,
    pins: { content: () => ({ name: 'Assistant', content: { instructions: '' } }) },
    isMember: async () => true,
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
  const { leasing, attemptReports, operations, modelCalls } = attempts
  const app = createApp({
    guarded,
    logger,
    latency: new HttpLatency(),
    clock,
    lifecycle,
    registry: new Registry(),
    checks: {},
    publicUrl: 'http://localhost',
    version: '9.8.7',
    areas: [
      runRoutes({ guarded, runs }),
      runnerRoutes({ guarded, store, actors, leasing, attemptReports, operations, modelCalls, tokens }),
    ],
  })
  await attempts.start()
  const pool = new RunnerPool({
    transport: attempts.transport(new AdmissionPrecedence(clock), 4),
    slots: 4,
    machineId: 'embedded',
    tools: builtinTools(clock),
    clock,
    log: logger,
  })
  if (embedded) pool.start()
  const client = api(app, 'owner')

  return {
    client,
    store,
    attempts,
    errors,
    lines,
    calls,
    async start(query: string, more: object = {}): Promise<string> {
      const { status, body } = await client.post('/api/v1/agent-runs', {
        agentId: 'agt_system_assistant',
        query,
        ...more,
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.data.id
    },
    /** Leases the next attempt for a runner controlled by the test. */
    lease: () => lease(client, 'registration'),
    async close() {
      runs.streams.close()
      await pool.drain(5_000)
      attempts.stop()
      await actors.stop()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
export type TeamWorld = Awaited<ReturnType<typeof openTeam>>
