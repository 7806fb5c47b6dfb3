/** The server's parts for attempts on a store, without HTTP, and runs for them. */
import { defaultRunLimits } from '../../../../machines/run.ts'
import { aloneBus } from '../../../../src/platform/bus/bus.ts'
import { EmbeddedLeases } from '../../../../src/platform/leases/embedded.ts'
import type { Leases } from '../../../../src/platform/leases/leases.ts'
import type { Clock } from '../../../../src/platform/time/clock.ts'
import { Attempts } from '../../../../src/runs/attempts/attempts.ts'
import type { StreamStep } from '../../../../src/runs/attempts/gateway/model-calls.ts'
import { streamStep } from '../../../../src/runs/providers/call.ts'
import { type RunSeed, runAddress } from '../../../../src/runs/record.ts'
import type { CallAnswer, OperationTool } from '../../../../src/runs/runner/protocol/protocol.ts'
import { Actors } from '../../../../src/runtime/actors.ts'
import { allWork } from '../../../../src/runtime/work-share.ts'
import { newId } from '../../../../storage/ids.ts'
import type { Store } from '../../../../storage/store.ts'
import { insertOrganization } from '../../../../storage/tenancy/organizations.ts'
import { admission } from '../../../machines/run/runs.ts'
import { systemRun } from '../../../support/system-run.ts'

/** The lease of an attempt, in milliseconds. */
export const leaseTtlMs = 30_000

/** The organization of the runs. */
export async function addOrganization(store: Store, at: number): Promise<void> {
  const organization = { id: 'org_a', slug: 'a', name: 'a', kind: 'team', status: 'active' } as const
  await store.commit([insertOrganization(store, { ...organization, created_at: at, updated_at: at })])
}

interface AttemptsOptions {
  leases?: Leases
  /** The part of a back-off that is waited. */
  chance?: number
  /** Whether other servers have the same store. */
  isShared?: boolean
  /** The outcome of calls of the operation `act`. */
  act?: () => Promise<CallAnswer>
  streamStep?: StreamStep
}

const act = { description: 'Acts.', inputSchema: { type: 'object' }, idempotent: false }

/** Starts a server. Machines whose names begin with `gone` have ended. */
export async function startAttempts(store: Store, clock: Clock, options: AttemptsOptions = {}) {
  const { leases = new EmbeddedLeases(() => clock.now()), chance = 0, isShared = false } = options
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const bus = { ...aloneBus, isShared }
  const actors = new Actors({ store, clock, bus, random: () => chance, onError })
  const attempts = new Attempts({
    actors,
    members: { ...allWork, isShared },
    store,
    clock,
    leases,
    limits: defaultRunLimits,
    leaseTtlMs,
    pins: {
      content: () => ({ name: 'Assistant', content: { instructions: '' } }),
      means: () => ({
        model: { provider: 'sandbox', model: 'sandbox', reasoningBudget: null },
        operations: (options.act ? { act } : {}) as Record<string, OperationTool>,
        delegates: {},
      }),
      models: () => () => ({ provider: 'sandbox', model: 'sandbox' }),
    },
    streamStep: options.streamStep ?? streamStep,
    periodOf: () => ({ start: 0, end: Number.MAX_SAFE_INTEGER, boundMs: null }),
    ...(options.act && { operations: { call: options.act } }),
    isGone: (machine) => machine.startsWith('gone'),
    onDamaged: onError,
    onError,
  })
  actors.register([attempts.kind])
  await actors.start()
  await attempts.start()
  const stop = () => {
    attempts.stop()
    void actors.stop()
  }
  return { attempts, actors, errors, stop }
}

/** Starts a run of the organization; its id. */
export async function admitRun(actors: Actors, at: number, maxRetries = 2): Promise<string> {
  const id = newId('run', at)
  const seed: RunSeed = { row: systemRun(id, 'org_a', at), input: { query: 'hi', contents: [] } }
  await actors.create(runAddress(id), { input: { maxRetries, at }, seed, named: 'start', facts: admission })
  return id
}
