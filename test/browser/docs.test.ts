/** The API reference page: rendered quickly, searchable, linkable, in both themes, accessible. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describeInBrowser, type OpenBrowser, openBrowser } from '../support/services/chromium.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type Watched, watch } from './support/watch.ts'

describeInBrowser('/docs', () => {
  let troupe: Troupe
  let browser: OpenBrowser
  let page: Page
  let watched: Watched
  const scripts: { url: string; bytes: number }[] = []
  beforeAll(async () => {
    troupe = await openTroupe()
    browser = await openBrowser()
    page = await browser.newPage({ colorScheme: 'light', bypassCSP: true })
    watched = watch(page, troupe.url)
    page.on('response', async (answer) => {
      if (answer.request().resourceType() === 'script')
        scripts.push({ url: answer.url(), bytes: (await answer.body()).length })
    })
    await page.addInitScript(() => {
      const scope = window as unknown as { longest: number }
      scope.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) scope.longest = Math.max(scope.longest, duration)
      }).observe({ type: 'longtask', buffered: true })
    })
    await page.goto(`${troupe.url}/docs`)
  })
  afterAll(async () => {
    await browser?.close()
    await troupe?.stop()
  })

  test('renders completely, with one small script and no external resources', async () => {
    await page.getByRole('heading', { name: 'Start a run', exact: true }).waitFor({ state: 'attached' })
    const { operations, longest } = await page.evaluate(() => ({
      operations: document.querySelectorAll('main section .call').length,
      longest: (window as unknown as { longest: number }).longest,
    }))
    console.info(`The longest task of /docs took ${Math.round(longest)} ms.`)
    expect(operations).toBeGreaterThan(200)
    expect(scripts.map(({ url }) => new URL(url).pathname)).toEqual(['/docs/search.js'])
    expect(scripts.every(({ bytes }) => bytes < 20_000)).toBe(true)
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('is searched, and the first result opened, by keyboard', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('runs cancel post')
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ found$/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#cancelAgentRun$/)
    expect(await page.locator('#cancelAgentRun').isVisible()).toBe(true)
    await page.locator('#search').press('Escape')
    expect(await page.locator('nav li[hidden]').count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('is accessible in the %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    // of similar elements, keep a few
    await page.evaluate(() => {
      for (const part of [...document.querySelectorAll('.part')].slice(12)) part.remove()
    })
    await page.evaluate(axe.source)
    const findings = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document)
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    })
    // links to removed elements lead nowhere
    expect(findings.filter((each) => !each.startsWith('skip-link'))).toEqual([])
  })
})
