/** Every page of the console, with something on it: everybody can use it, in light and dark, and nothing goes wrong. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { charts } from '../../src/statecharts/catalogue.ts'
import { describeInBrowser } from '../support/chromium.ts'
import { findingsInBothThemes } from './axe.ts'
import { type Filled, fill } from './filled/filled.ts'
import { type Endpoint, goTo, openEndpoint, openWorld, settled, type World } from './world.ts'

describeInBrowser('every page', () => {
  let good: Endpoint
  let bad: Endpoint
  let world: World
  let filled: Filled
  beforeAll(async () => {
    good = openEndpoint(200)
    bad = openEndpoint(500)
    world = await openWorld()
    filled = await fill(world.owner, { good: good.url, bad: bad.url })
  }, 60_000)
  afterAll(async () => {
    await world?.stop()
    good?.stop()
    bad?.stop()
  })

  test('can be used by everybody, in all of its tabs, and in dark as well', async () => {
    const { page, watched } = await world.signedIn()
    const { addresses, address, definitionIds, otherRunIds } = filled
    const more = [
      ...Object.values(definitionIds).map((id) => `${address('/o/:organization/p/:projectId/definitions')}/${id}`),
      ...otherRunIds.map((id) => `/o/default/runs/${id}`),
    ]
    await page.goto(world.url + addresses[0])
    for (const [index, at] of [...addresses, ...more].entries()) {
      await goTo(page, at)
      const tabs = await page.getByRole('tab').count()
      for (let place = 0; place < Math.max(1, tabs); place += 1) {
        if (place > 0) {
          await page.getByRole('tab').nth(place).click()
          await settled(page)
        }
        // what the pointer is over may stand out from the rest
        await page.mouse.move(0, 0)
        const notices = await page.locator('main [role="alert"]').allInnerTexts()
        // what is around the page, and above its tabs, is looked at once
        const within = place > 0 ? '[role="tabpanel"]' : at === addresses[0] ? undefined : 'main'
        // the colours of dark come from one file, and are the same on every page: each third one is enough
        const dark = place === 0 && index % 3 === 0
        const found = { notices, ...(await findingsInBothThemes(page, within, { dark })) }
        expect({ at, place, found }).toEqual({ at, place, found: { notices: [], light: [], dark: [] } })
      }
    }
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  }, 240_000)

  test('draws the statechart of every kind', async () => {
    const { page, watched } = await world.signedIn()
    await page.goto(`${world.url}/o/default/statecharts`)
    for (const { machine } of charts) {
      await goTo(page, `/o/default/statecharts/${machine.id}`)
      await page.locator('.chart-state[data-state]').first().waitFor()
    }
    expect(watched.complaints).toEqual([])
  }, 60_000)
})
