/** Tallies of costs and the outbox of spans, on each engine. */
import { expect, test } from 'bun:test'
import {
  amountOf,
  costOwners,
  countCost,
  countCostShare,
  limbsOf,
  listNamesOfOwners,
  pruneCosts,
  sumCosts,
  sumShares,
} from '../../storage/billing/costs.ts'
import {
  deleteTraceSpans,
  insertTraceSpans,
  listTraceSpansLeft,
  takeOverTraceSpans,
} from '../../storage/platform/traces.ts'
import { usageOfEndedAttempts } from '../../storage/runs/steps.ts'
import { insertOrganization } from '../../storage/tenancy/organizations.ts'
import { onEachEngine } from './engines/each-engine.ts'

const organizationId = 'org_costs'
const hourMs = 3_600_000

onEachEngine((opened) => {
  test('costs are summed exactly by interval, currency and dimension', async () => {
    const { store } = opened
    const organization = { id: organizationId, slug: 'costs', name: 'Costs', kind: 'team', status: 'active' } as const
    await store.commit([insertOrganization(store, { ...organization, created_at: 0, updated_at: 0 })])
    const step = (hour: number, model: string, amount: string | null, api_key_id = '') => {
      const counts = {
        model_steps: 1,
        input_tokens: 3,
        output_tokens: 2,
        ...(amount === null ? { cost_6: 0, cost_15: 0, cost_24: 0 } : limbsOf(amount)),
      }
      const where = {
        organization_id: organizationId,
        project_id: 'prj_a',
        agent_id: 'agt_a',
        currency: amount === null ? '' : 'USD',
      }
      return [
        countCost(store, {
          ...where,
          environment_id: '',
          provider: 'openai',
          model,
          api_key_id,
          hour: hour * hourMs,
          ...counts,
        }),
        countCostShare(store, { ...where, period_start: 0, ...counts }),
      ]
    }
    const small = '0.000000000000000000000001'
    await store.commit([...step(10, 'large', '999999999.5'), ...step(10, 'large', small, 'key_a')])
    await store.commit([...step(11, 'small', '0.25'), ...step(11, 'small', null), ...step(30, 'small', '7')])
    const window = { organizationId, origin: 10 * hourMs, intervalMs: hourMs, from: 10 * hourMs, to: 12 * hourMs }
    const sums = (await sumCosts(store, window)).map((row) => [
      row.interval,
      row.currency,
      Number(row.model_steps),
      amountOf(row),
    ])
    expect(sums.sort()).toEqual([
      [0, 'USD', 2, `999999999.5${small.slice(3)}`],
      [1, '', 1, '0'],
      [1, 'USD', 1, '0.25'],
    ])
    for (const [by, columns] of Object.entries(costOwners)) {
      const rows = await sumCosts(store, { ...window, project_id: 'prj_a' }, by as keyof typeof costOwners)
      for (const row of rows) for (const column of columns) expect(row[column]).toBeString()
      expect(rows).toHaveLength(by === 'apiKey' ? 4 : 3)
    }
    const total = (rows: Awaited<ReturnType<typeof sumShares>>) =>
      rows.map((row) => [row.currency, amountOf(row)]).sort()
    const whole = `1000000006.75${'0'.repeat(21)}1`
    for (const by of ['none', 'agent', 'project'] as const) {
      expect(total(await sumShares(store, { organizationId, periodStart: 0 }, by))).toEqual([
        ['', '0'],
        ['USD', whole],
      ])
    }
    for (const names of Object.values(listNamesOfOwners)) {
      expect(await store.all(names(store, { ids: JSON.stringify(['agt_a', 'prj_a']) }))).toEqual([])
    }
    expect(await pruneCosts(store.background, 12 * hourMs, 10)).toBe(2)
    expect(await sumCosts(store, window)).toEqual([])
  })

  test('spans that a server left behind are taken over by exactly one other server, and removed', async () => {
    const { store } = opened
    const row = (id: number, server: string) => insertTraceSpans(store, { id, server, spans: '[]', created_at: id })
    await store.commit([row(1, 'old'), row(2, 'old'), row(3, 'new')])
    const left = () => store.all(listTraceSpansLeft(store, { server: 'new', until: 10, after: 0, limit: 10 }))
    expect((await left()).map(({ id }) => Number(id))).toEqual([1, 2])
    const take = (server: string) => takeOverTraceSpans(store, { id: 1, from: 'old', server, at: 5 })
    await store.commit([take('new')])
    await expect(store.commit([take('third')])).rejects.toThrow()
    expect((await left()).map(({ id }) => Number(id))).toEqual([2])
    await store.commit([deleteTraceSpans(store, { ids: '[1,2,4]' })])
    expect(await left()).toEqual([])
    expect(await store.all(usageOfEndedAttempts(store, { runId: 'run_none' }))).toEqual([])
  })
})
