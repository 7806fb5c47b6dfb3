/** What goes wrong, and what is too much: the console says so, goes on, and shows it as it is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/chromium.ts'
import { ownerPassword } from '../support/troupe.ts'
import { type Filled, fill } from './filled/filled.ts'
import { addRuns, addSteps } from './filled/many.ts'
import { flag, hostileWords } from './filled/words.ts'
import { openRelay } from './relay.ts'
import { type Endpoint, goTo, openEndpoint, openWorld, phone, settled, type World } from './world.ts'

describeInBrowser('the console', () => {
  let good: Endpoint
  let bad: Endpoint
  let world: World
  let filled: Filled
  beforeAll(async () => {
    good = openEndpoint(200)
    bad = openEndpoint(500, `/${'W'.repeat(300)}`)
    world = await openWorld()
    filled = await fill(world.owner, { good: good.url, bad: bad.url }, hostileWords)
  }, 60_000)
  afterAll(async () => {
    await world?.stop()
    good?.stop()
    bad?.stop()
  })

  const open = async (path: string) => {
    const window = await world.signedIn()
    await window.page.goto(world.url + path)
    return window
  }

  test('asks for the password on the spot when the session is over, and what was typed stays', async () => {
    const { page } = await open(filled.address('/o/:organization/settings/groups'))
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.getByLabel('Name').fill('Early shift')
    const { request } = page.context()
    const session = await (await request.get(`${world.url}/api/auth/session`)).json()
    const headers = { 'x-csrf-token': session.data.csrfToken }
    expect((await request.delete(`${world.url}/api/auth/session`, { headers })).status()).toBe(204)

    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(ownerPassword)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Early shift')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Early shift').first().waitFor()
  }, 60_000)

  test('goes on by itself where a lost connection had left it', async () => {
    const [, runId = ''] = filled.otherRunIds
    const wire = await openRelay(world.url)
    const { page } = await world.signedIn()
    await page.goto(`${wire.url}/o/default/runs/${runId}`)
    const note = page.getByRole('main').getByRole('status')
    await note.filter({ hasText: 'Live' }).waitFor()
    await page.context().setOffline(true)
    wire.cut()
    await note.filter({ hasText: 'Connection lost, resuming' }).waitFor()

    const answers = JSON.stringify({ toolResults: [{ toolCallId: 'call_1', result: 'The second' }] })
    const answered = await world.owner.post(`/api/v1/agent-runs/${runId}/continue`, { query: answers })
    expect(answered.status).toBe(200)
    await page.context().setOffline(false)
    await page.locator('.badge[data-state="completed"]').first().waitFor()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const { body } = await world.owner.get(`/api/v1/agent-runs/${runId}/steps`, { query: { limit: 100 } })
    const steps = page.getByRole('listbox', { name: 'steps' }).getByRole('option')
    await steps.last().waitFor()
    expect(await steps.count()).toBe(body.data.items.length)
    await note.filter({ hasText: 'Complete' }).waitFor()
    wire.stop()
  }, 60_000)

  describe('shows words that are meant to break it as words', () => {
    const injected = (page: Page) =>
      page.evaluate(
        (flag) => ({
          ran: flag in window,
          elements: document.querySelectorAll(
            'img[src="x"], main script, svg[onload], [onerror], a[href^="javascript"]',
          ).length,
          widerThanTheScreen: document.documentElement.scrollWidth > innerWidth,
        }),
        flag,
      )
    const harmless = { ran: false, elements: 0, widerThanTheScreen: false }

    test('on every page, in all of its tabs, on a phone', async () => {
      const { page, watched } = await world.signedIn({ viewport: phone }, filled.person)
      await page.goto(world.url + filled.addresses[0])
      await settled(page)
      let seen = 0
      for (const at of [...filled.addresses, ...filled.otherRunIds.map((id) => `/o/default/runs/${id}`)]) {
        await goTo(page, at)
        const tabs = await page.getByRole('tab').count()
        for (let place = 0; place < Math.max(1, tabs); place += 1) {
          if (place > 0) {
            await page.getByRole('tab').nth(place).click()
            await settled(page)
          }
          expect({ at, place, ...(await injected(page)) }).toEqual({ at, place, ...harmless })
          if ((await page.locator('main').innerText()).includes('<img src=x')) seen += 1
        }
      }
      expect(seen).toBeGreaterThan(30)
      expect(watched).toEqual({ complaints: [], elsewhere: [] })
    }, 120_000)

    test('in dialogs and in what streams', async () => {
      const { page, watched } = await world.signedIn({ viewport: phone })
      await page.goto(
        `${world.url}${filled.address('/o/:organization/p/:projectId/e/:environmentId/webhooks/:webhookId')}`,
      )
      await page.getByRole('button', { name: 'Look at delivery' }).first().click()
      await page.getByRole('dialog', { name: 'Delivery' }).waitFor()
      expect(await injected(page)).toEqual(harmless)

      await page.goto(`${world.url}/o/default/playground`)
      await page.getByRole('button', { name: 'Assistant' }).click()
      const said = hostileWords('Said', 1_000)
      await page.getByLabel('Question').fill(`/say ${said}`)
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('article', { name: 'Answered' }).getByText(said).waitFor()
      expect(await injected(page)).toEqual(harmless)
      expect(watched).toEqual({ complaints: [], elsewhere: [] })
    }, 60_000)
  })

  test('has only those of 10,000 steps in the document that can be seen', async () => {
    addSteps(world.troupe.file, filled.runId, 10_000)
    const { page, watched } = await open(`/o/default/runs/${filled.runId}`)
    await page.getByRole('tab', { name: 'Steps' }).click()
    const list = page.getByRole('listbox', { name: 'steps' })
    await list.waitFor()
    expect(await list.getAttribute('aria-label')).toMatch(/^100\d\d steps$/)
    const shown = () => list.locator('.waterfall-step').count()
    for (const part of [0.001, 0.01, 0.5, 1]) {
      await list.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), part)
      await page.waitForFunction(() => !document.querySelector('.waterfall-loading'))
      expect(await shown()).toBeLessThan(60)
    }
    await list.getByRole('option').filter({ hasText: 'step 10000' }).click()
    await list.press('Home')
    await list.getByRole('option', { selected: true }).filter({ hasText: 'Clerk' }).waitFor()
    expect(await shown()).toBeLessThan(60)
    expect(watched.complaints).toEqual([])
  }, 60_000)

  test('reads a list of 5,000 runs page by page', async () => {
    addRuns(world.troupe.file, filled.runId, 5_000)
    const { page, watched } = await open('/o/default/runs')
    const rows = page.getByRole('table', { name: 'runs' }).getByRole('row')
    const pager = page.getByRole('navigation', { name: 'Pages of runs' })
    const seen = new Set<string>()
    for (let number = 1; number <= 5; number += 1) {
      await pager.getByText(`Page ${number}`, { exact: true }).waitFor()
      await settled(page)
      for (const href of await rows
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')))
        seen.add(href)
      expect(await rows.count()).toBeLessThan(110)
      if (number < 5) await pager.getByRole('button', { name: 'More' }).click()
    }
    expect(seen.size).toBeGreaterThan(90)
    await pager.getByRole('button', { name: 'Back' }).click()
    await pager.getByText('Page 4', { exact: true }).waitFor()
    expect(watched.complaints).toEqual([])
  }, 60_000)
})
