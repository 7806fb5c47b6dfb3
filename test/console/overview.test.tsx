/** The overview: its figures, and the page against a real server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { barsOf, costBarsOf, endedIn, livingIn, rangeOf } from '../../src/console/pages/overview/figures.ts'
import { pricesFile } from '../runs/costs/world.ts'
import { inState, start } from '../support/run-records.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole, type ShowOptions } from './support/console.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const hour = 3_600_000
const bucket = (place: number, more: object = {}) => ({
  from: new Date(noon + place * hour).toISOString(),
  to: new Date(noon + (place + 1) * hour).toISOString(),
  completed: 1,
  failed: 0,
  canceled: 0,
  expired: 0,
  ...more,
})

describe('figures of runs', () => {
  test('each bucket is in one bar, and bars have the requested width', () => {
    const buckets = Array.from({ length: 25 }, (_, place) => bucket(place, { failed: place === 24 ? 3 : 0 }))
    expect(barsOf(buckets, hour).map(({ from }) => from)).toEqual(buckets.map(({ from }) => Date.parse(from)))
    const bars = barsOf(buckets, 6 * hour)
    expect(bars.map(({ counts }) => [counts.completed, counts.failed])).toEqual([
      [6, 0],
      [6, 0],
      [6, 0],
      [6, 0],
      [1, 3],
    ])
    expect(barsOf([], hour)).toEqual([])
    expect(buckets[0]).toEqual(bucket(0))
  })

  test('costs are summed by bar and currency', () => {
    const costs = (...amounts: string[]) => ({
      costs: amounts.map((amount, place) => ({ amount, currency: ['USD', 'EUR'][place] as string })),
    })
    const buckets = [bucket(0, costs('0.5', '2')), bucket(1, costs('0.25')), bucket(2), bucket(8, costs('1'))]
    expect(costBarsOf(buckets, 6 * hour)).toEqual([
      { from: noon, amounts: { USD: 0.75, EUR: 2 } },
      { from: noon + 6 * hour, amounts: { USD: 1 } },
    ])
    expect(costBarsOf([bucket(0)], hour)).toEqual([{ from: noon, amounts: {} }])
  })

  test('all final states count as ended, and live states are grouped by what they wait for', () => {
    expect(endedIn({ completed: 1, failed: 2, canceled: 3, expired: 4 })).toBe(10)
    const living = { queued: 1, acquiring: 2, starting: 3, running: 4, canceling: 5 }
    const current = { ...living, awaitingToolResult: 6, awaitingDelegateResult: 7, oldestQueuedAt: null }
    expect(livingIn(current)).toEqual({ queued: 1, atWork: 14, waiting: 13 })
  })

  test.each([
    [null, '24h'],
    ['7d', '7d'],
    ['30d', '30d'],
    ['a year', '24h'],
  ])('%p is a look back of %s', (given, expected) => {
    expect(rangeOf(given).value).toBe(expected as '24h')
  })
})

describe('the page', () => {
  let troupe: Troupe
  let world: ConsoleWorld
  let prices: Awaited<ReturnType<typeof pricesFile>>
  beforeAll(async () => {
    prices = await pricesFile()
    const environment = { TROUPE_PRICES_FILE: prices.path }
    ;[troupe, world] = await Promise.all([openTroupe({ environment }), openConsole()])
  })
  afterEach(() => world.cleanup())
  afterAll(async () => {
    await world?.close()
    await troupe?.stop()
    await prices?.remove()
  })

  test('without runs it teaches how to start one, with the address of this server', async () => {
    await world.show('/o/default', { troupe })
    await world.screen.findByRole('heading', { name: 'Start the first run' })
    const request = world.screen.getByRole('region', { name: 'request' })
    expect(request.textContent).toContain(`curl -s ${troupe.url}/api/v1/agent-runs`)
    world.screen.getByRole('button', { name: 'Copy request' })
  })

  test('names the range of its figures, and shows them as a table', async () => {
    const [one, other] = await Promise.all([start(troupe.owner, '/say Hello.'), start(troupe.owner, '/fail No.')])
    await Promise.all([inState(troupe.owner, one.id, 'completed'), inState(troupe.owner, other.id, 'failed')])
    await world.show('/o/default', { troupe })
    await world.screen.findByText('Current runs, and runs that ended in the last 24 hours.')
    await world.screen.findByText('50 % of ended runs')
    await world.screen.findByText('0 starting')
    const latest = world.within(await world.screen.findByRole('table', { name: 'latest runs' }))
    await latest.findByRole('link', { name: /^\/say Hello\.\s*Assistant$/ })
    await latest.findByRole('link', { name: /^\/fail No\.\s*Assistant$/ })
    await world.screen.findByText('The queue is empty')
    const chart = world.screen.getByRole('region', { name: 'Runs over time' })
    world.fireEvent.click(world.within(chart).getByRole('button', { name: 'As table' }))
    const table = world.within(chart).getByRole('table')
    expect(world.within(table).getAllByRole('columnheader')[2]?.textContent).toBe('Failed')
    const latency = world.screen.getByRole('region', { name: 'Latency' })
    world.fireEvent.click(world.within(latency).getByRole('button', { name: 'As table' }))
    expect(world.within(latency).getAllByRole('row')[1]?.lastChild?.textContent).toBe('2')
  })

  test('shows what model steps have cost, over time and by what is chosen', async () => {
    const { id } = await start(troupe.owner, '/say Hello.')
    const { cost } = await inState(troupe.owner, id, 'completed')
    expect(cost.currency).toBe('USD')
    const shown = await world.show('/o/default', { troupe })
    const chart = await world.screen.findByRole('region', { name: 'Cost over time' })
    world.fireEvent.click(world.within(chart).getByRole('button', { name: 'As table' }))
    const rows = world.within(chart).getAllByRole('row')
    expect(rows[0]?.lastChild?.textContent).toBe('USD')
    expect(rows[1]?.lastChild?.textContent).toMatch(/^\$0\.000\d+$/)
    const shares = world.within(await world.screen.findByRole('region', { name: 'Cost by owner' }))
    await shares.findByText('Assistant')
    world.fireEvent.click(shares.getByLabelText('Model'))
    await shares.findByText('sandbox')
    expect(shown.path()).toContain('by=model')
    world.fireEvent.click(shares.getByLabelText('Project'))
    await shares.findByText('System Agents')
  })

  test('groups the digits of large counts', async () => {
    await world.show('/o/default', {
      troupe,
      between: (next) => async (url, init) => {
        const answer = await next(url, init)
        if (!new URL(url).pathname.endsWith('/agent-runs/statistics')) return answer
        const { data } = (await answer.json()) as { data: { totals: object } }
        return Response.json({ data: { ...data, totals: { ...data.totals, completed: 90_000 } } })
      },
    })
    const chart = await world.screen.findByRole('region', { name: 'Runs over time' })
    expect(chart.querySelector('.chart-legend')?.textContent).toStartWith('Completed90,000Failed')
  })

  test('without prices it shows no costs', async () => {
    await world.show('/o/default', {
      troupe,
      between: (next) => async (url, init) => {
        const answer = await next(url, init)
        if (!new URL(url).pathname.endsWith('/agent-runs/statistics')) return answer
        const { data } = (await answer.json()) as { data: object }
        return Response.json({ data: { ...data, cost: null, costs: [], modelSteps: 0, unpricedSteps: 0 } })
      },
    })
    await world.screen.findByRole('region', { name: 'Latency' })
    expect(world.screen.queryByRole('region', { name: 'Cost over time' })).toBeNull()
  })

  test('looks as far back as is chosen, and keeps that in the address', async () => {
    const asked: string[] = []
    const shown = await world.show('/o/default', {
      troupe,
      between: (next) => (url, init) => {
        const { pathname, searchParams } = new URL(url)
        // what costs are split by is a request of its own
        const isAsked = pathname.endsWith('/agent-runs/statistics') && !searchParams.has('by')
        if (isAsked) asked.push(searchParams.get('interval') as string)
        return next(url, init)
      },
    })
    world.fireEvent.click(await world.screen.findByLabelText('30 d'))
    await world.screen.findByText('By the day in which they ended, in UTC.')
    expect(asked).toEqual(['hour', 'day'])
    expect(shown.path()).toContain('range=30d')
  })

  test('a scope without ended runs says so', async () => {
    const { body } = await troupe.owner.post('/api/v1/projects', { slug: 'empty', name: 'Empty' })
    await world.show(`/o/default?projectId=${body.data.id}&range=7d`, { troupe })
    await world.screen.findByText('No runs ended in the last 7 days.')
    await world.screen.findByText('No runs in this Project.')
    await world.screen.findByText('No ended runs')
  })

  describe('failed deliveries', () => {
    interface Place {
      projectId: string
      environmentId: string
    }
    const tile = async () => {
      const tiles = await world.screen.findByRole('list', { name: 'Now' })
      const title = await world.within(tiles).findByText('Failed deliveries')
      return world.within(title.closest('li') as HTMLElement)
    }
    const link = async () => ((await tile()).getByRole('link') as HTMLAnchorElement).getAttribute('href')
    const answering =
      (status: number, body: object, asked: string[] = []): NonNullable<ShowOptions['between']> =>
      (next) =>
      (url, init) => {
        const { pathname, searchParams } = new URL(url)
        if (pathname !== '/api/v1/webhook-deliveries/statistics') return next(url, init)
        asked.push(searchParams.toString())
        return Promise.resolve(Response.json(body, { status }))
      }
    const counted = (...environments: (Place & { deadLetters: number })[]) => ({
      data: { deadLetters: environments.reduce((sum, { deadLetters }) => sum + deadLetters, 0), environments },
    })
    let place: Place
    beforeAll(async () => {
      const { body } = await troupe.owner.post('/api/v1/projects', { slug: 'desk', name: 'Support desk' })
      const { id: projectId } = body.data
      const environments = await troupe.owner.get(`/api/v1/projects/${projectId}/environments`)
      const production = environments.body.data.items.find(({ kind }: { kind: string }) => kind === 'production')
      place = { projectId, environmentId: production.id }
      const run = await start(troupe.owner, '/say Hello.')
      await inState(troupe.owner, run.id, 'completed')
    })
    const webhooks = () => `/o/default/p/${place.projectId}/e/${place.environmentId}/webhooks`

    test('of the organization: their number, and a link to the Environment with the most', async () => {
      const asked: string[] = []
      const other = { ...place, environmentId: 'env_other', deadLetters: 1 }
      const between = answering(200, counted({ ...place, deadLetters: 3 }, other), asked)
      await world.show('/o/default', { troupe, between })
      await (await tile()).findByText('4')
      await (await tile()).findByRole('link', { name: 'Support desk · Production' })
      expect(await link()).toBe(webhooks())
      expect((await tile()).getByRole('link').parentElement?.textContent).toBe('3 in Support desk · Production')
      expect(asked).toEqual([''])
    })

    test('of a Project, and of an Environment', async () => {
      const asked: string[] = []
      const between = answering(200, counted({ ...place, deadLetters: 2 }), asked)
      const shown = await world.show(`/o/default?projectId=${place.projectId}`, { troupe, between })
      await (await tile()).findByRole('link', { name: 'Support desk · Production' })
      shown.unmount()
      const { projectId, environmentId } = place
      await world.show(`/o/default?projectId=${projectId}&environmentId=${environmentId}`, { troupe, between })
      await (await tile()).findByText('Not acknowledged')
      expect((await tile()).getByRole('link', { name: 'Failed deliveries' })).toBeTruthy()
      expect(await link()).toBe(webhooks())
      expect(asked).toEqual([`projectId=${projectId}`, `projectId=${projectId}&environmentId=${environmentId}`])
    })

    test('when there are none, says so, as the server does', async () => {
      await world.show('/o/default', { troupe })
      await (await tile()).findByText('All events delivered')
      ;(await tile()).getByText('0')
      expect((await tile()).queryByRole('link')).toBeNull()
    })

    test('are hidden without permission for webhooks', async () => {
      const error = { code: 'permission_denied', message: 'No.', requestId: 'req_1', details: {} }
      const between = answering(403, { error })
      await world.show('/o/default', { troupe, between })
      await world.screen.findByText('Minutes used')
      await world.waitFor(() => expect(world.screen.queryByText('Failed deliveries')).toBeNull())
    })
  })

  test('a forbidden figure names its permission', async () => {
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
    await world.screen.findByText('Requires billing:read')
  })
})
