/** The main paths of the console in a real browser. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { inState, start } from '../support/run-records.ts'
import { describeInBrowser, type OpenBrowser, openBrowser } from '../support/services/chromium.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'
import { findingsOf } from './support/axe.ts'
import { makeImpatient } from './support/impatient.ts'
import { type Watched, watch } from './support/watch.ts'

describeInBrowser('the console', () => {
  let troupe: Troupe
  let browser: OpenBrowser
  let page: Page
  let watched: Watched
  let sentTwice: string[]

  beforeAll(async () => {
    const environment = { TROUPE_EMBED_ANCESTORS: 'http://localhost:*' }
    ;[troupe, browser] = await Promise.all([openTroupe({ environment }), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await troupe?.stop()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    watched = watch(page, troupe.url)
    sentTwice = await makeImpatient(page.context())
  })

  afterEach(async () => {
    await page?.close()
    expect(sentTwice).toEqual([])
  })

  async function signIn(path: string) {
    await page.goto(troupe.url + path)
    await page.getByLabel('Email').fill(ownerEmail)
    await page.getByLabel('Password').fill(ownerPassword)
    await page.keyboard.press('Enter')
  }

  test('a user signs in, creates a Project from a template, opens an Environment and signs out', async () => {
    await signIn('/o/default/projects')
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Name').fill('Support desk')
    await page.getByLabel('Template').selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Support desk created').waitFor()
    await page.getByLabel('Environment', { exact: true }).selectOption({ label: 'Production' })
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/o\/default\/p\/prj_\w+\/e\/env_\w+\/webhooks$/)

    await page.reload()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    await page.getByRole('button', { name: 'Account of' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Troupe' }).waitFor()
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('the keyboard is sufficient', async () => {
    await signIn('/o/default/projects')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test("an embedded chart updates live in another site's page, without a session", async () => {
    const run = await start(troupe.owner, 'Hello')
    const id = run.id ?? run.agentRunId
    await inState(troupe.owner, id, 'completed')
    const example = Bun.spawn([process.execPath, resolve(import.meta.dir, '../../examples/embed.ts'), id], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', TROUPE_URL: troupe.url, TROUPE_KEY: troupe.key },
      stdout: 'pipe',
    })
    try {
      let said = ''
      for await (const part of example.stdout.pipeThrough(new TextDecoderStream())) {
        said += part
        if (said.includes('\n')) break
      }
      await page.goto(said.replace('Open ', '').trim())
      const frame = page.frameLocator('iframe')
      await frame.getByLabel(/^State completed, current state/).waitFor()
      await frame.getByText('Live', { exact: true }).waitFor()
      expect(await page.context().cookies()).toEqual([])
      await troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Once more' })
      await frame.getByLabel('State completed, current state, entered 2 times').waitFor()
      const [embedded] = page.frames().filter((one) => one !== page.mainFrame())
      expect(embedded?.url()).toContain(`/embed/actors/run/${id}?ticket=`)
      expect(watched.complaints).toEqual([])
    } finally {
      example.kill()
      await example.exited
    }
  })

  test('on a phone the navigation is behind a button, and nothing exceeds the screen width', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await signIn('/o/default/projects')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Statecharts' }).click()
    await page.getByRole('heading', { name: 'Statecharts' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })

  for (const theme of ['light', 'dark'] as const) {
    test(`it is accessible, in ${theme}`, async () => {
      await page.emulateMedia({ colorScheme: theme })
      await page.goto(`${troupe.url}/o/default/projects`)
      await page.getByRole('heading', { name: 'Sign in to Troupe' }).waitFor()
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
      expect(await findingsOf(page)).toEqual([])

      await signIn('/o/default/projects')
      await page.getByRole('button', { name: 'New project' }).first().waitFor()
      expect(await findingsOf(page)).toEqual([])
      await page.getByRole('button', { name: 'New project' }).first().click()
      await page.getByRole('dialog').waitFor()
      expect(await findingsOf(page)).toEqual([])
    })
  }
})
