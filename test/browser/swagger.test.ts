/** Swagger UI with the API document: an operation is opened, and called with a key. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser, type OpenBrowser, openBrowser } from '../support/services/chromium.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type Watched, watch } from './support/watch.ts'

describeInBrowser('/swagger', () => {
  let troupe: Troupe
  let browser: OpenBrowser
  let page: Page
  let watched: Watched
  beforeAll(async () => {
    troupe = await openTroupe()
    browser = await openBrowser()
    page = await browser.newPage()
    watched = watch(page, troupe.url)
    await page.goto(`${troupe.url}/swagger`)
  })
  afterAll(async () => {
    await browser?.close()
    await troupe?.stop()
  })

  test('shows the document, and loads nothing from other servers', async () => {
    await page.getByRole('heading', { name: 'Troupe' }).waitFor()
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('an operation is called with a key', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('#auth-bearer-value').first().fill(troupe.key)
    await page.getByRole('button', { name: 'Apply credentials' }).first().click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('#operations-tag-Projects').click()
    const operation = page.locator('#operations-Projects-listProjects')
    await operation.getByRole('button').first().click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    const answered = page.waitForResponse((answer) => answer.url().includes('/projects'))
    await operation.getByRole('button', { name: 'Execute' }).click()
    expect((await answered).status()).toBe(200)
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })
})
