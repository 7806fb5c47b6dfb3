/** Statecharts in the browser: legible, live, and stable under many updates. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/services/chromium.ts'
import { type Filled, fill } from './filled/filled.ts'
import { maker } from './filled/maker.ts'
import { addSteps } from './filled/many.ts'
import { findingsInBothThemes } from './support/axe.ts'
import { type Felt, feel, feelAnew, feltOf } from './support/felt.ts'
import { openPulse, type Pulse } from './support/pulse.ts'
import type { Watched } from './support/watch.ts'
import { desktop, type Endpoint, openEndpoint, openWorld, phone, settled, type World } from './world.ts'

const shiftMax = 0.05
const stepsOfLongRun = 5_000

describeInBrowser('statecharts', () => {
  let world: World
  let filled: Filled
  let pulse: Pulse
  let page: Page
  let watched: Watched
  const endpoints: Endpoint[] = []
  const figures: Record<string, Felt> = {}
  const note = async (name: string) => {
    figures[name] = await feltOf(page)
    return figures[name]
  }

  beforeAll(async () => {
    const [good, bad] = [openEndpoint(200), openEndpoint(500)]
    endpoints.push(good, bad)
    world = await openWorld()
    filled = await fill(world.owner, { good: good.url, bad: bad.url })
    pulse = await openPulse(maker(world.owner))
    addSteps(world.troupe.file, filled.runId, stepsOfLongRun)
    ;({ page, watched } = await world.signedIn())
    await feel(page)
  })
  afterAll(async () => {
    if (Object.keys(figures).length > 0) {
      const rounded = ({ shift, longestTask, slowestInteraction }: Felt) => ({
        'layout shift': Number(shift.toFixed(3)),
        'longest task, ms': Math.round(longestTask),
        'slowest interaction, ms': Math.round(slowestInteraction),
      })
      console.table(Object.fromEntries(Object.entries(figures).map(([name, felt]) => [name, rounded(felt)])))
    }
    await world?.stop()
    for (const endpoint of endpoints) endpoint.stop()
  })

  /** Reloads a page, and waits until it is idle. */
  async function open(address: string) {
    await page.goto(world.url + address)
    await settled(page)
    await page.locator('.chart-state[data-state]').first().waitFor()
    await page.waitForTimeout(300)
  }

  test.each([
    ['a machine', () => '/o/default/statecharts/run'],
    ['an actor', () => `/o/default/statecharts/run/${filled.runId}`],
    ['an entity', () => `/o/default/statecharts/entity/${pulse.id}`],
  ])(
    'of %s load without a layout shift',
    async (name, address) => {
      await open(address())
      expect((await note(name)).shift).toBeLessThan(shiftMax)
      expect(watched).toEqual({ complaints: [], elsewhere: [] })
    },
    180_000,
  )

  test('the page of a run with 5,000 steps loads without a layout shift, and shows the same chart', async () => {
    await page.goto(`${world.url}/o/default/runs/${filled.runId}`)
    await settled(page)
    await page.getByRole('tab', { name: 'Steps' }).click()
    await settled(page)
    await page.waitForTimeout(500)
    await page.getByRole('tab', { name: 'Internals' }).click()
    await page.getByLabel(/^State completed, current state/).waitFor()
    expect((await note('a run with 5,000 steps')).shift).toBeLessThan(shiftMax)
  })

  test('fifty transitions a second leave the page responsive', async () => {
    await open(`/o/default/statecharts/entity/${pulse.id}`)
    await feelAnew(page)
    const beating = pulse.beatPerSecond(50)
    for (const tab of ['Next', 'Context', 'Journal', 'Next', 'Journal']) {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      await page
        .getByLabel(/^State (even|odd)/)
        .first()
        .click()
      await page.waitForTimeout(250)
    }
    const moves = await beating.stop()
    await note(`${moves} moves`)
    const state = moves % 2 === 0 ? 'even' : 'odd'
    await page.getByLabel(new RegExp(`^State ${state}, current state`)).waitFor()
    expect(figures[`${moves} moves`]?.shift).toBeLessThan(shiftMax)
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('the current state is shown immediately, also after a burst', async () => {
    await open(`/o/default/statecharts/entity/${pulse.id}`)
    await Promise.all(Array.from({ length: 12 }, () => pulse.beat()))
    await pulse.beat()
    const { state } = (await world.owner.get(`/api/v1/actors/entity/${pulse.id}`)).body.data
    // the badge, the chart and its accessible label agree, long before the animation has ended
    await page.getByLabel(new RegExp(`^Statechart: .*, in ${state}$`)).waitFor({ timeout: 2_000 })
    await page.getByLabel(new RegExp(`^State ${state}, current state`)).waitFor({ timeout: 2_000 })
    await page
      .getByRole('heading', { level: 1 })
      .locator('..')
      .getByText(state, { exact: true })
      .waitFor({ timeout: 2_000 })
  })

  test('a position in the journal and a simulation are shared by their address', async () => {
    await open(`/o/default/statecharts/run/${filled.runId}?at=3`)
    const { journal } = (await world.owner.get(`/api/v1/actors/run/${filled.runId}`)).body.data
    await page.getByLabel(new RegExp(`^State ${journal[2].to}, current state`)).waitFor()
    await page.getByRole('link', { name: 'Simulate' }).click()
    await page.waitForURL(/\/simulator/)
    await page.goto(`${world.url}/o/default/statecharts/delivery/simulator?steps=claimed~acknowledged`)
    await page.getByLabel(/^State delivered, current state/).waitFor()
    const other = await world.another({ page, watched })
    await other.page.goto(page.url())
    await other.page.getByLabel(/^State delivered, current state/).waitFor()
    await other.page.close()
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('a draft of an entity is compared with the latest revision while it is edited', async () => {
    await page.goto(`${world.url}/o/default/p/${pulse.projectId}/definitions/${pulse.definitionId}`)
    await settled(page)
    await page.getByRole('radio', { name: 'New revision' }).click()
    const source = page.getByLabel('Source', { exact: true })
    const states = { even: { on: { beat: 'still' } }, still: {} }
    await source.fill(JSON.stringify({ schema: { type: 'object' }, states: { initial: 'even', states } }))
    await page.getByLabel(/^State still.*, added$/).waitFor()
    await page.getByLabel(/^State odd.*, removed$/).waitFor()
    await page.getByRole('list', { name: 'Differences of the statecharts' }).getByText('State odd removed').waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('the counts of a fleet follow its actors', async () => {
    await open('/o/default/statecharts/run')
    const label = (count: number) => page.getByLabel(new RegExp(`^State completed, ${count} actors?`))
    const { states } = (await world.owner.get('/api/v1/machines/run/population')).body.data
    const { count } = states.find(({ state }: { state: string }) => state === 'completed')
    await label(count).waitFor()
    await world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
    await label(count + 1).waitFor()
  })

  test('a chart is embedded with a ticket that the console issues', async () => {
    await open(`/o/default/statecharts/entity/${pulse.id}`)
    await page.getByRole('button', { name: 'Embed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Embed this chart' })
    await dialog.getByLabel('Lasts').selectOption('Eight hours')
    await dialog.getByRole('button', { name: 'Issue a ticket' }).click()
    const frame = (await dialog.getByText('<iframe').textContent()) ?? ''
    const [, address = ''] = /src="([^"]+)"/.exec(frame) ?? []
    const stranger = await page.context().browser()!.newPage()
    await stranger.goto(address)
    await stranger.getByLabel(/^State (even|odd), current state/).waitFor()
    await pulse.beat()
    await stranger.getByText('Live', { exact: true }).waitFor()
    await stranger.close()
    await page.keyboard.press('Escape')
  })

  test('the keyboard is sufficient to see the transitions of a state', async () => {
    await open('/o/default/statecharts/delivery')
    await page.getByLabel(/^State in-flight/).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^\d+ of 13 transitions: in-flight$/).waitFor()
    await page.getByRole('button', { name: 'Show all', exact: true }).press('Enter')
    await page.getByText('Rows are tried from the top').waitFor()
  })

  test('that are a part of a page show all of their states on a phone, and nothing covers them', async () => {
    await page.setViewportSize(phone)
    await open(filled.address('/o/:organization/p/:projectId/e/:environmentId/entities/:type/:entityId'))
    const found = await page.locator('.chart').evaluate((chart) => {
      const inside = (inner: DOMRect, outer: DOMRect) =>
        inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
      const apart = (one: DOMRect, other: DOMRect) =>
        one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top
      const room = chart.getBoundingClientRect()
      const above = [...document.querySelectorAll('.chart-map, .chart-embedded-note > *')]
      const boxes = [...chart.querySelectorAll('.chart-state')].map((state) => state.getBoundingClientRect())
      return {
        states: boxes.length,
        cutOff: boxes.filter((box) => !inside(box, room)).length,
        covered: boxes.filter((box) => above.some((note) => !apart(box, note.getBoundingClientRect()))).length,
      }
    })
    expect(found).toEqual({ states: 6, cutOff: 0, covered: 0 })
    await page.setViewportSize(desktop)
  })

  test.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'are legible in %s, on a %s',
    async (colorScheme, device) => {
      await page.emulateMedia({ colorScheme })
      if (device === 'phone') await page.setViewportSize(phone)
      await open('/o/default/statecharts/run')
      const smallest = await page.evaluate(() => {
        const sizes = [
          ...document.querySelectorAll('.chart :is(.chart-state-name, .chart-group-name, .chart-word, .chart-count)'),
        ]
          .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          .map((element) => {
            const scale = element.getBoundingClientRect().height / ((element as HTMLElement).offsetHeight || 1)
            const zoom =
              element instanceof SVGElement
                ? new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport') as Element).transform)
                    .a
                : scale
            return Number.parseFloat(getComputedStyle(element).fontSize) * zoom
          })
        return { least: Math.min(...sizes), count: sizes.length }
      })
      expect(smallest.count).toBeGreaterThan(10)
      expect(smallest.least).toBeGreaterThanOrEqual(10.99)
      // it does not fit, so it opens at its initial state, with a minimap
      await page.getByRole('img', { name: 'Overview map' }).waitFor()
      expect(
        await page.locator('.chart-state[data-state="queued"]').evaluate((state) => {
          const [inner, outer] = [state.getBoundingClientRect(), state.closest('.chart')!.getBoundingClientRect()]
          return (
            inner.left >= outer.left &&
            inner.right <= outer.right &&
            inner.top >= outer.top &&
            inner.bottom <= outer.bottom
          )
        }),
      ).toBe(true)
      expect(await page.locator('.chart-group[data-group="live"]').count()).toBe(1)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    },
    180_000,
  )
})
