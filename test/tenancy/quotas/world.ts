/** A server with a plan of small limits, and helpers for tests of them. */

import { expect } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJobs } from '../../automation/agent-jobs/world.ts'
import type { Client, Reply } from '../../support/client.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { data } from '../../support/world/replies.ts'

type Limits = Record<string, { used: number; limit: number | null }>

const agentId = 'agt_system_assistant'

export async function openWorld(limits: Record<string, number | null>, options: TroupeOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-quotas-'))
  const plansFile = join(folder, 'plans.json')
  const price = { amount: 0, currency: 'usd', interval: 'month' }
  const plan = { planKey: 'free', name: 'Free', price, minuteBudget: null, features: [], limits }
  await Bun.write(plansFile, JSON.stringify([plan]))
  const server = await openJobs({ ...options, environment: { TROUPE_PLANS_FILE: plansFile, ...options.environment } })
  const { owner, ours } = server
  return {
    ...server,
    plansFile,
    /** The organization's use and limits. */
    async limits(client: Client = owner, organization = ours): Promise<Limits> {
      const usage = await data<{ limits: Limits }>(client.get(`/api/v1/organizations/${organization}/billing/usage`))
      return usage.limits
    },
    start: (query = 'Hello', client: Client = owner) => client.post('/api/v1/agent-runs', { agentId, query }),
    startedRun: async (query = 'Hello') => (await data(server.owner.post('/api/v1/agent-runs', { agentId, query }))).id,
    cancel: (id: string) => data(owner.post(`/api/v1/agent-runs/${id}/cancel`)),
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** This many succeeded, and all others were refused because of the limit. */
export function expectOnly(replies: readonly Reply[], count: number, name: string, limit: number): void {
  expect(replies.filter(({ status }) => status < 300)).toHaveLength(count)
  const refused = replies.filter(({ status }) => status >= 300)
  expect(refused).toHaveLength(replies.length - count)
  for (const { status, body } of refused) {
    expect({ status, code: body.error.code, details: body.error.details }).toEqual({
      status: 422,
      code: 'limit_exceeded',
      details: { name, limit, issues: [{ path: '', message: body.error.message }] },
    })
    expect(body.error.message).toContain(`${name}: ${limit}`)
  }
}
