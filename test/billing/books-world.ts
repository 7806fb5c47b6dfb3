/** Metered runs of organizations with budgets, with a manually advanced clock. */

import { createRunMachine } from '../../machines/run.ts'
import { Metering } from '../../src/billing/metering/metering.ts'
import type { Terms } from '../../src/billing/terms.ts'
import { runKind } from '../../src/runs/actor.ts'
import type { Reservation } from '../../src/runs/record.ts'
import { type RunSeed, runAddress } from '../../src/runs/record.ts'
import { Actors } from '../../src/runtime/actors.ts'
import { defaultLimits } from '../../src/tenancy/organizations/limits.ts'
import { findUsage } from '../../storage/billing/usage.ts'
import { newId } from '../../storage/ids.ts'
import { insertOrganization } from '../../storage/tenancy/organizations.ts'
import { admission } from '../machines/run/runs.ts'
import { HandRunner } from '../runs/hand-runner.ts'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'
import { systemRun } from '../support/system-run.ts'

export const second = 1_000
export const minute = 60 * second

const nothing = () => {}
const effects = {
  offerToRunners: nothing,
  lookForDecisions: async () => {},
  withdrawApprovals: nothing,
  breakOffCalls: nothing,
  startNextInput: nothing,
  signalWorker: nothing,
  releaseMachine: nothing,
}

export async function openMetering() {
  const clock = new HandClock()
  /** By organization. */
  const contracts = new Map<string, Terms>()
  const store = await openMigrated()
  const metering = new Metering({ store, terms: { of: (id) => contracts.get(id) as Terms } })
  const kinds = [runKind(createRunMachine(), effects, { periodOf: metering.periodOf })]
  const actors = new Actors({ store, clock, kinds, random: () => 0 })
  const runner = new HandRunner(actors, clock)

  /** A new organization with a budget. */
  async function open(minuteBudget: number | null = 100) {
    const at = clock.now()
    const organizationId = newId('org')
    await store.commit([
      insertOrganization(store, {
        id: organizationId,
        slug: organizationId.slice(-20),
        name: 'Ours',
        kind: 'team',
        status: 'active',
        created_at: at,
        updated_at: at,
      }),
    ])
    const terms: Terms = {
      planKey: 'p',
      minuteBudget,
      limits: defaultLimits,
      period: { start: at, end: at + 1_000 * minute },
    }
    contracts.set(organizationId, terms)
    const send = (id: string, event: { type: string } & Record<string, unknown>) => actors.send(runAddress(id), event)
    const counted = (periodStart = terms.period.start) => store.first(findUsage(store, { organizationId, periodStart }))

    return {
      terms,
      organizationId,
      send,
      counted,
      pass: (ms: number) => clock.advance(ms),
      reserve: (look = false) => metering.reserve(organizationId, look),
      async start(reservation: Reservation | undefined, maxRetries = 5) {
        const id = newId('run')
        const now = clock.now()
        const seed: RunSeed = {
          row: systemRun(id, organizationId, now),
          input: { query: 'hi', contents: [] },
          reservation,
        }
        await actors.create(runAddress(id), { input: { maxRetries, at: now }, seed, named: 'start', facts: admission })
        return id
      },
      lose: (id: string, more: object = {}) =>
        runner.end(id, { type: 'attemptLost', cause: { code: 'lease_lost', message: 'It is gone.' }, ...more }),
      goOn: async (id: string) =>
        send(id, {
          type: 'continue',
          ...admission,
          input: { query: 'more', contents: [] },
          reservation: await metering.reserve(organizationId, true),
          answered: ['call_1'],
          results: [],
        }),
    }
  }

  return { clock, store, runner, open, close: () => store.close() }
}

export type World = Awaited<ReturnType<typeof openMetering>>
/** An organization. */
export type Customer = Awaited<ReturnType<World['open']>>
