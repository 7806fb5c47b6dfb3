/** Items that need attention are shown, and can be handled in place. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { describeInBrowser } from '../../support/services/chromium.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { findingsInBothThemes } from '../support/axe.ts'
import { desktop, phone, settled, until } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

const dayMs = 86_400_000

describeInBrowser('the inbox', () => {
  let day: Day
  let agent: string
  beforeAll(async () => {
    day = await openDay()
    agent = `${day.path}/agents/${day.authored.agentId}`
  })
  afterAll(() => day?.stop())

  const refund = () =>
    day.api.post(`${agent}/operations/orders.refund/invoke`, { input: { number: 'A-1', amount: 12 } })
  const items = () => day.page.getByRole('list', { name: 'Items' }).getByRole('listitem')

  test('shows an approval, counts it in the navigation, and decides it', async () => {
    const { page, open, api } = day
    await open('/o/default/inbox')
    await page.getByText('Nothing needs you').waitFor()
    const { approvalId } = await refund()
    await refund()
    const item = items().filter({ hasText: 'orders.refund' })
    await item.first().waitFor()
    expect(await item.count()).toBe(2)
    await page.getByRole('link', { name: 'Inbox 2 items need attention' }).waitFor()
    await page.getByRole('radio', { name: 'Approvals 2' }).check()
    expect(new URL(page.url()).search).toBe('?kind=approval')
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })

    // the older one is last; with the keyboard alone
    await item.last().getByRole('button', { name: 'Review' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Decide on orders.refund' })
    await dialog.getByText('"A-1"').waitFor()
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await dialog.getByLabel('Note').fill('Not today')
    await dialog.getByRole('button', { name: 'Reject' }).focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Inbox 1 item needs attention' }).waitFor()
    const decided = await api.get(`${day.path}/operation-approvals/${approvalId}`)
    expect([decided.status, decided.note]).toEqual(['rejected', 'Not today'])
    expect(day.watched).toEqual(untroubled)
  })

  test('several approvals are decided together, each with its own result', async () => {
    const { page, open, api } = day
    const { approvalId } = await refund()
    await open(`${day.console}/approvals`)
    const boxes = page.getByRole('checkbox', { name: /^Select orders.refund/ })
    await boxes.nth(1).waitFor()
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    // another user decides one of them first
    await api.post(`${day.path}/operation-approvals/${approvalId}/reject`, {})
    await page.getByRole('button', { name: 'Approve 2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve 2 approvals?' })
    await dialog.getByRole('button', { name: 'Approve 2' }).click()
    await page.mouse.move(0, 0)
    await dialog.getByText('approved', { exact: true }).waitFor()
    await dialog.getByText('to be decided').waitFor({ state: 'detached' })
    const decisions = dialog.getByRole('list', { name: 'Decisions' }).getByRole('listitem')
    expect((await decisions.allInnerTexts()).filter((text) => text.endsWith('approved'))).toHaveLength(1)
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('an expired key is replaced, and a plan with more minutes is chosen', async () => {
    const { page, open, api, world } = day
    const before = day.watched.complaints.length
    const [organization] = (await api.get('/api/v1/organizations')).items
    const tenancy = new Tenancy(world.troupe.file)
    const [{ user_id: ownerId }] = tenancy.all<{ user_id: string }>('select user_id from memberships') as [
      { user_id: string },
    ]
    const old = tenancy.key(organization.id, ownerId, ['agents:list', 'projects:list'], {
      created_at: Date.now() - 95 * dayMs,
      expires_at: Date.now() - 5 * dayMs,
    })
    // the counters of the period start with its first run
    await api.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
    const { minutes } = await api.get(`/api/v1/organizations/${organization.id}/billing/usage`)
    tenancy.run('update usage_counters set used_ms = ?', Math.round(minutes.budget * 60_000 * 0.9))

    await open('/o/default/inbox?kind=apiKey')
    await page.getByRole('button', { name: 'Replace' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the API key' })
    expect(await dialog.getByLabel('Revoke the old key at once').isChecked()).toBe(true)
    await dialog.getByLabel('Name').fill('Replaced')
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await dialog.getByRole('button', { name: 'Replace key' }).click()
    const shown = page.getByRole('dialog', { name: 'New API key' })
    await shown.getByText('The old key is revoked when you close this.').waitFor()
    const secret = await shown.getByRole('region', { name: 'secret' }).innerText()
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    await items().first().waitFor({ state: 'detached' })
    expect((await world.troupe.as(secret).get('/api/v1/projects')).status).toBe(200)
    expect((await world.troupe.as(secret).get('/api/v1/agent-runs')).status).toBe(403)
    expect((await api.get(`/api/v1/api-keys/${old.id}`)).status).toBe('revoked')
    tenancy.close()

    await open('/o/default/inbox?kind=budget')
    await page.getByRole('button', { name: 'Change plan' }).click()
    const plans = page.getByRole('dialog', { name: 'Change the plan' })
    await plans
      .getByRole('button', { name: /^Choose / })
      .first()
      .waitFor()
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await page.keyboard.press('Escape')
    expect(day.watched.complaints.slice(before)).toEqual([])
  })

  test('an alert rule is created, tested and edited', async () => {
    const { page, open } = day
    await open('/o/default/alerts')
    await page.getByRole('button', { name: 'New alert rule' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New alert rule' })
    await dialog.getByLabel('Name').fill('Nobody decides')
    await dialog.getByLabel('Condition').selectOption('waiting')
    await dialog.getByLabel('For, in minutes').fill('60')
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await page.getByRole('link', { name: 'Nobody decides' }).click()
    await page.getByText('5 runs or approvals or more waiting for 1 hour.').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Test sent to webhooks').waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()

    await open('/o/default/alerts')
    await page.getByRole('button', { name: 'New alert rule' }).first().click()
    await dialog.getByLabel('Name').fill('Runs fail here')
    await dialog.getByLabel('Project').selectOption(day.authored.projectId)
    await dialog.getByLabel('Environment').selectOption(day.environmentId)
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await page.getByRole('row').filter({ hasText: 'Runs fail here' }).getByText(' · ').waitFor()
    await page.getByRole('row').filter({ hasText: 'Nobody decides' }).getByText('Whole organization').waitFor()
  })

  test('the audit log is filtered and exported', async () => {
    const { page, open } = day
    await open('/o/default/settings/audit')
    await page.getByLabel('Kind').selectOption('changes')
    await page.getByLabel('Operation').fill('createAlertRule')
    await page.keyboard.press('Enter')
    const table = page.getByRole('table', { name: 'audit log entries' })
    await until(page, () => document.querySelectorAll('main tbody tr').length === 2)
    await table.getByText('create alert rule').first().waitFor()
    expect(new URL(page.url()).search).toBe('?kind=changes&operation=createAlertRule')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('audit-log.csv')
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
  })

  test('an unwanted alert is disabled in the list', async () => {
    const { open, api } = day
    const run = await api.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: '/fail Too bad.' })
    await eventually(
      'a run that failed',
      async () => (await api.get(`/api/v1/agent-runs/${run.id}`)).state === 'failed',
    )
    const condition = { type: 'failing', count: 1, withinMinutes: 60 }
    const { id } = await api.post('/api/v1/alert-rules', { name: 'Too eager', condition })
    await open('/o/default/inbox?kind=alert')
    const item = items().filter({ hasText: 'Too eager' })
    await item.getByRole('button', { name: 'Disable rule' }).click()
    await item.waitFor({ state: 'detached' })
    expect(await api.get(`/api/v1/alert-rules/${id}`)).toMatchObject({ enabled: false, state: 'disabled' })
  })

  test('fits a phone', async () => {
    const { page, open } = day
    await refund()
    await page.setViewportSize(phone)
    await open('/o/default/inbox')
    await items().first().waitFor()
    await settled(page)
    for (const path of ['/o/default/inbox', '/o/default/alerts']) {
      await open(path)
      await settled(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    }
    await page.setViewportSize(desktop)
  })
})
