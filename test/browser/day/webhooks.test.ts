/** Failing webhooks are shown, and can be repaired, in the console. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { describeInBrowser } from '../../support/services/chromium.ts'
import { findingsInBothThemes } from '../support/axe.ts'
import { type Endpoint, openEndpoint, phone } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

describeInBrowser('webhooks', () => {
  let day: Day
  let shop: Endpoint
  let desk: Endpoint
  let failing: string
  beforeAll(async () => {
    shop = openEndpoint(500)
    desk = openEndpoint(200, '/desk')
    day = await openDay()
    const { api, path } = day
    const hook = (endpointUrl: string) => api.post(`${path}/webhooks`, { endpointUrl, eventTypes: ['run.failed'] })
    failing = (await hook(shop.url)).id
    await hook(desk.url)
    await api.post(`${path}/webhooks/${failing}/test`)
    await eventually('a dead letter', async () => (await api.get(`${path}/webhooks/${failing}`)).deadLetters === 1)
  })
  afterAll(async () => {
    await day?.stop()
    shop?.stop()
    desk?.stop()
  })

  const row = (url: string) => day.page.getByRole('table', { name: 'webhooks' }).locator('tbody tr', { hasText: url })

  test('that fail are marked as unhealthy, and are found by their health', async () => {
    const { page, open } = day
    await open(`${day.console}/webhooks`)
    await row(shop.url).getByText('failing', { exact: true }).waitFor()
    await row(desk.url).getByText('healthy', { exact: true }).waitFor()
    await page.getByLabel('Health', { exact: true }).selectOption('Failing')
    await row(desk.url).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?health=failing')
    await page.reload()
    await row(shop.url).waitFor()
    expect(await row(desk.url).count()).toBe(0)
    await page.getByLabel('Health', { exact: true }).selectOption('Disabled')
    await page.getByText('No matching webhooks').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    expect(day.watched).toEqual(untroubled)
  })

  test('link to their dead letters, capture responses, and are recovered', async () => {
    const { page, open } = day
    await open(`${day.console}/webhooks`)
    await row(shop.url).getByRole('link', { name: '1', exact: true }).click()
    await page.getByText('has refused every attempt').waitFor()
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('dead-letter')
    await page.getByRole('button', { name: 'Capture', exact: true }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delivery' })
    await dialog.getByText('The shop is closed.').last().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()

    shop.status = 200
    await page.getByRole('status').getByRole('button', { name: 'Recover' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Recover', exact: true }).click()
    await eventually('everything is delivered', async () => {
      const { failingSince, deadLetters } = await day.api.get(`${day.path}/webhooks/${failing}`)
      return failingSince === null && deadLetters === 0
    })
    await page.getByText('healthy', { exact: true }).waitFor()
    await page.getByText('has refused every attempt').waitFor({ state: 'detached' })
    expect(day.watched).toEqual(untroubled)
  })

  test('fit a phone', async () => {
    await day.page.setViewportSize(phone)
    await day.open(`${day.console}/webhooks`)
    expect(await day.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  })
})
