/** Servers with their own plans, no runner and a manually advanced clock, for tests of usage. */

import { expect } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client, Reply } from '../../support/client.ts'
import { completed, type HeldAttempt, lease } from '../../support/simulated-runner.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { signIn } from '../../tenancy/sessions/browser.ts'
import { click } from '../embedded.ts'
import { base, checkoutBody, keyed } from '../world.ts'

export const second = 1_000
export const minute = 60 * second
export const agentId = 'agt_system_assistant'
export const runnerToken = 'runner-token-of-the-tests'

const plan = (planKey: string, amount: number, minuteBudget: number | null, interval = 'month') => ({
  planKey,
  name: planKey,
  price: { amount, currency: 'usd', interval },
  minuteBudget,
  features: [],
})

export interface World {
  troupe: Troupe
  clock: HandClock
  /** An organization without runs. The plan `free` has two and a half minutes, `more` five, `unbound` no limit. */
  organization(): Promise<Tenant>
  /** Cancels the test's queued runs, so that no other test leases them. */
  tidy(): Promise<void>
  stop(): Promise<void>
}

export interface Tenant {
  id: string
  client: Client
  usage(): Promise<Usage>
  start(): Promise<Reply>
  /** Starts a run and leases it: it holds its machine from now on. */
  running(): Promise<HeldAttempt>
  /** A run that held its machine for this long. */
  ran(ms: number): Promise<HeldAttempt>
  subscribe(planKey: string): Promise<void>
}

interface Usage {
  period: { start: string; end: string }
  minutes: { used: number; reserved: number; budget: number | null; remaining: number | null }
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
  pastPeriods: { start: string; end: string }[]
  limits: Record<string, { used: number; limit: number | null }>
}

export async function openWorld(environment: Record<string, string> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-usage-'))
  const plansFile = join(folder, 'plans.json')
  const plans = [
    plan('free', 0, 2.5),
    plan('more', 1, 5),
    plan('most', 2, 6),
    plan('unbound', 3, null),
    plan('yearly', 4, 60, 'year'),
  ]
  await writeFile(plansFile, JSON.stringify(plans))
  const clock = new HandClock()
  const troupe = await openTroupe({
    clock,
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RUNNER_TOKEN: runnerToken,
      // this much time may pass between two heartbeats without losing the lease
      TROUPE_LEASE_TTL_MS: '600000',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_PLANS_FILE: plansFile,
      ...environment,
    },
  })
  let started: { client: Client; id: string }[] = []
  let browser: { session: Awaited<ReturnType<typeof signIn>>; until: number } | undefined
  return {
    troupe,
    clock,
    async organization() {
      const now = clock.now()
      if (!browser || browser.until < now) browser = { session: await signIn(troupe), until: now + 6 * 60 * minute }
      const { id, client } = await newOrganization(troupe, undefined, browser.session)
      return tenantOf({ troupe, clock, id, client, onStart: (runId) => started.push({ client, id: runId }) })
    },
    async tidy() {
      await Promise.all(started.map(({ client, id }) => client.post(`/api/v1/agent-runs/${id}/cancel`)))
      started = []
    },
    async stop() {
      await troupe.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface TenantParts {
  troupe: Troupe
  clock: HandClock
  id: string
  client: Client
  onStart(runId: string): void
}

function tenantOf({ troupe, clock, id, client, onStart }: TenantParts): Tenant {
  const start = async () => {
    const reply = await client.post('/api/v1/agent-runs', { agentId, query: 'Hello' })
    if (reply.status === 200) onStart(reply.body.data.id)
    return reply
  }
  const running = async () => {
    const { status, body } = await start()
    expect(status).toBe(200)
    const attempt = await lease(troupe.as(null), runnerToken)
    expect(attempt.runId).toBe(body.data.id)
    expect((await attempt.boot()).status).toBe(200)
    return attempt
  }
  return {
    id,
    client,
    start,
    running,
    async usage() {
      const { status, body } = await client.get(`${base(id)}/usage`)
      expect(status).toBe(200)
      return body.data
    },
    async ran(ms) {
      const attempt = await running()
      clock.advance(ms)
      expect((await attempt.complete(completed('Done.'))).status).toBe(200)
      return attempt
    },
    async subscribe(planKey) {
      const { body } = await client.post(`${base(id)}/checkout`, checkoutBody(troupe, { planKey }), keyed())
      expect((await click(body.data.url, { action: 'pay' })).status).toBe(303)
    },
  }
}
