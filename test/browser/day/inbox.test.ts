/** What needs somebody is seen, and dealt with where it is seen. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../../support/chromium.ts'
import { findingsInBothThemes } from '../axe.ts'
import { desktop, phone, settled } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

describeInBrowser('the inbox', () => {
  let day: Day
  let agent: string
  beforeAll(async () => {
    day = await openDay()
    agent = `${day.path}/agents/${day.authored.agentId}`
  }, 180_000)
  afterAll(() => day?.stop())

  const refund = () =>
    day.api.post(`${agent}/operations/orders.refund/invoke`, { input: { number: 'A-1', amount: 12 } })
  const items = () => day.page.getByRole('list', { name: 'Items' }).getByRole('listitem')

  test('shows an approval, with its number in the navigation, and decides it there', async () => {
    const { page, open, api } = day
    await open('/o/default/inbox')
    await page.getByText('Nothing needs you').waitFor()
    const { approvalId } = await refund()
    await refund()
    const item = items().filter({ hasText: 'orders.refund' })
    await item.first().waitFor()
    expect(await item.count()).toBe(2)
    await page.getByRole('link', { name: 'Inbox 2 items need somebody' }).waitFor()
    await page.getByRole('radio', { name: 'Approvals 2' }).check()
    expect(new URL(page.url()).search).toBe('?kind=approval')
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })

    // the older one is the last; with the keyboard alone
    await item.last().getByRole('button', { name: 'Review' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Decide on orders.refund' })
    await dialog.getByText('"A-1"').waitFor()
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await dialog.getByLabel('Decision').selectOption('reject')
    await dialog.getByLabel('Note').fill('Not today')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Inbox 1 item needs somebody' }).waitFor()
    const decided = await api.get(`${day.path}/operation-approvals/${approvalId}`)
    expect([decided.status, decided.note]).toEqual(['rejected', 'Not today'])
    expect(day.watched).toEqual(untroubled)
  }, 60_000)

  test('fits a phone', async () => {
    const { page, open } = day
    await page.setViewportSize(phone)
    await open('/o/default/inbox')
    await items().first().waitFor()
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    await page.setViewportSize(desktop)
  }, 30_000)
})
