/** The overview: its figures, and the page against a real server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import {
  bucketsOf,
  countsOf,
  outcomeOf,
  percentilesOf,
  queueTimesOf,
  workTimesOf,
} from '../../src/console/pages/overview/figures.ts'
import type { PresentedRun } from '../../src/runs/present.ts'
import { inState, start } from '../support/run-records.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const at = (milliseconds: number) => new Date(noon + milliseconds).toISOString()
const run = (more: Partial<PresentedRun>) =>
  ({ state: 'completed', createdAt: at(0), startedAt: at(20), endedAt: at(1020), ...more }) as PresentedRun

describe('figures of runs', () => {
  test.each([
    [run({}), 'completed'],
    [run({ state: 'failed' }), 'failed'],
    [run({ state: 'canceled' }), 'stopped'],
    [run({ state: 'expired' }), 'stopped'],
    [run({ state: 'queued', endedAt: null }), 'atWork'],
    [run({ state: 'awaitingToolResult', endedAt: null, awaiting: {} as never }), 'waiting'],
  ] as const)('a run counts as what has become of it: %#', (given, outcome) => {
    expect(outcomeOf(given)).toBe(outcome)
  })

  test('every run is in one stretch of time, and the stretches are few', () => {
    const runs = Array.from({ length: 500 }, (_, place) => run({ createdAt: at(-place * 3_600_000) }))
    const buckets = bucketsOf(runs, noon)
    expect(buckets.length).toBeLessThanOrEqual(30)
    expect(buckets.reduce((sum, { counts }) => sum + counts.completed, 0)).toBe(500)
    expect(countsOf(runs)).toMatchObject({ completed: 500, failed: 0 })
    expect(bucketsOf([], noon)).toEqual([])
  })

  test('percentiles are by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, place) => 100 - place)
    expect(percentilesOf(values)).toEqual({ count: 100, p50: 50, p90: 90, p99: 99 })
    expect(percentilesOf([7])).toEqual({ count: 1, p50: 7, p90: 7, p99: 7 })
    expect(percentilesOf([])).toBeUndefined()
  })

  test('latencies are of runs that have come so far', () => {
    const runs = [run({}), run({ startedAt: null, endedAt: at(5) })]
    expect(queueTimesOf(runs)).toEqual([20])
    expect(workTimesOf(runs)).toEqual([1000])
  })
})

describe('the page', () => {
  let troupe: Troupe
  let world: ConsoleWorld
  beforeAll(async () => {
    ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
  })
  afterEach(() => world.cleanup())
  afterAll(async () => {
    await world.close()
    await troupe.stop()
  })

  test('without runs it teaches how to start one, with the address of this server', async () => {
    await world.show('/o/default', { troupe })
    await world.screen.findByRole('heading', { name: 'Start the first run' })
    const request = world.screen.getByRole('region', { name: 'request' })
    expect(request.textContent).toContain(`curl -s ${troupe.url}/api/v1/agent-runs`)
    world.screen.getByRole('button', { name: 'Copy request' })
  })

  test('says what its figures are of, and gives them as a table', async () => {
    const [one, other] = await Promise.all([start(troupe.owner, '/say Hello.'), start(troupe.owner, '/fail No.')])
    await Promise.all([inState(troupe.owner, one.id, 'completed'), inState(troupe.owner, other.id, 'failed')])
    await world.show('/o/default', { troupe })
    await world.screen.findByText(/Figures of all 2 runs\./)
    world.screen.getByText('50 % of those that ended')
    await world.screen.findByText('Nobody waits')
    const chart = world.screen.getByRole('region', { name: 'Runs over time' })
    world.fireEvent.click(world.within(chart).getByRole('button', { name: 'As table' }))
    const table = world.within(chart).getByRole('table')
    expect(world.within(table).getAllByRole('columnheader')[2]?.textContent).toBe('Failed')
  })

  test('what is not for the user says which permission it takes', async () => {
    await world.show('/o/default', {
      troupe,
      between: (next) => (url, init) =>
        /\/billing\/usage$/.test(url)
          ? Promise.resolve(
              Response.json(
                {
                  error: {
                    code: 'permission_denied',
                    message: 'No.',
                    requestId: 'req_1',
                    details: { permission: 'billing:read' },
                  },
                },
                { status: 403 },
              ),
            )
          : next(url, init),
    })
    await world.screen.findByText('Takes billing:read')
  })
})
