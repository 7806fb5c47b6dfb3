/** The command palette finds pages and runs commands from anywhere, with the keyboard alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mistyped } from '../../support/mistyped.ts'
import { describeInBrowser } from '../../support/services/chromium.ts'
import { findingsInBothThemes } from '../support/axe.ts'
import { desktop, phone, settled, until } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

describeInBrowser('the command palette', () => {
  let day: Day
  beforeAll(async () => {
    day = await openDay()
  })
  afterAll(() => day?.stop())

  const field = () => day.page.getByRole('combobox', { name: 'Search, or paste an ID' })
  const option = (name: string | RegExp) => day.page.getByRole('option', { name })
  const ask = async (text: string) => {
    await day.page.keyboard.press('Control+k')
    await field().fill(text)
  }
  const path = () => new URL(day.page.url()).pathname + new URL(day.page.url()).search

  test('finds a name by a few of its letters, and opens a page by its shortcut', async () => {
    const { page, authored, open } = day
    await open(day.console)
    await ask('cle')
    await option(/^Clerk/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Clerk' }).waitFor()
    expect(path()).toBe(`/o/default/p/${authored.projectId}/agents/${authored.agentId}`)

    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor()
    await page.locator('main tbody tr a').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Release 1' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('opens an id pasted from anywhere, and reports one that does not exist', async () => {
    const { page, authored, open } = day
    await open('/o/default')
    await ask(`{"environmentId": "${day.environmentId}"}`)
    await option(`Environment ${day.environmentId}`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Delivery to Development' }).waitFor()
    expect(path()).toBe(day.console)
    await ask(mistyped(authored.agentId))
    await page.getByText('Nothing has this ID, or you do not have access to it.').waitFor()
    await page.keyboard.press('Escape')
    await field().waitFor({ state: 'detached' })
    // the browser also logs a look-up that finds nothing
    expect(day.watched.complaints.splice(0)).toEqual([expect.stringContaining('404')])
    expect(day.watched).toEqual(untroubled)
  })

  test('finds names in any Project, and says where ids without a page of their own are shown', async () => {
    const { page, api, open } = day
    const made: { id: string }[] = []
    for (let number = 0; number < 12; number += 1)
      made.push(await api.post('/api/v1/projects', { name: `Branch ${number}`, slug: `branch-${number}` }))
    const [first] = made
    const definition = await api.post(`/api/v1/projects/${first?.id}/definitions`, {
      name: 'lost-and-found',
      kind: 'operations',
    })
    await open('/o/default')
    await ask('nothing-like-it')
    await page.getByText('No results.').waitFor()
    await field().fill('lost-and')
    await option(/^lost-and-found/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'lost-and-found' }).waitFor()
    expect(path()).toBe(`/o/default/p/${first?.id}/definitions/${definition.id}`)
    await ask('branch 0 production')
    await option(/^Production Environment/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Delivery to Production' }).waitFor()
    await ask('att_01h455vb4pex5vsknk084sn02q')
    await page.getByText('An attempt is shown on the page of its run').waitFor()
    await page.keyboard.press('Escape')

    const { events } = (await day.world.owner.get(`${day.path}/events`)).body
    await ask(events[0].id)
    await option(`Event ${events[0].id}`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: events[0].type }).waitFor()
    expect(path()).toBe(`${day.console}/events?event=${events[0].id}`)
    await page.reload()
    await page.getByRole('dialog', { name: events[0].type }).waitFor()
    await page.keyboard.press('Escape')
    await until(page, () => location.search === '')
    expect(day.watched).toEqual(untroubled)
  })

  test('runs commands: those of the page, and from elsewhere', async () => {
    const { page, open } = day
    await open('/o/default/projects')
    await ask('new key')
    await option('New API key').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New API key' }).waitFor()
    expect(path()).toBe('/o/default/settings/keys?open=new')
    await page.reload()
    await page.getByRole('dialog', { name: 'New API key' }).waitFor()
    await page.keyboard.press('Escape')
    await until(page, () => location.search === '')

    await open('/o/default/settings/groups')
    await ask('new group')
    await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'New group' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New group' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'New group' }).waitFor()
    await page.keyboard.press('Escape')
    expect(day.watched).toEqual(untroubled)
  })

  test('cancels the run that is shown', async () => {
    const { page, api, authored, open } = day
    const { id } = await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: day.environmentId,
      query: '/call ask_customer {"question": "Which?"}',
    })
    await api.settled(`/api/v1/agent-runs/${id}`, 'awaitingToolResult')
    await open(`/o/default/runs/${id}`)
    await page.locator('main .badge[data-state="awaitingToolResult"]').first().waitFor()
    await ask('cancel')
    await option(/^Cancel/)
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    expect(day.watched).toEqual(untroubled)
  })

  test('is accessible, as is the sheet of shortcuts, on a phone too', async () => {
    const { page, open } = day
    await open(day.console)
    await ask('')
    await option('Overview').first().waitFor()
    expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual({ light: [], dark: [] })
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Webhooks').waitFor()
    expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual({ light: [], dark: [] })
    // single-key shortcuts can be turned off
    await sheet.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.keyboard.press('?')
    expect(path()).toBe(day.console)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await ask('keyboard')
    await page.keyboard.press('Enter')
    await sheet.getByRole('checkbox').check()
    await page.keyboard.press('Escape')

    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await field().fill('webhooks')
    await option('Webhooks').click()
    await settled(page)
    expect(path()).toBe(`${day.console}/webhooks`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    await page.setViewportSize(desktop)
    expect(day.watched).toEqual(untroubled)
  })
})

describeInBrowser('an address', () => {
  let day: Day
  beforeAll(async () => {
    day = await openDay()
    const { api, authored } = day
    const content = { instructions: 'Answer.' }
    for (let number = 0; number < 25; number += 1) {
      await api.post(`${authored.project}/agents/${authored.agentId}/revisions`, {
        content: { ...content, maxSteps: number + 1 },
        grantedOperations: [],
      })
    }
  })
  afterAll(() => day?.stop())

  const search = () => new URL(day.page.url()).search
  const selected = (name: string) => day.page.getByRole('tab', { name, selected: true })

  test('contains the view: Back returns to the previous view, and a refresh keeps the current one', async () => {
    const { page, open } = day
    await open('/o/default/statecharts/run')
    await page.getByRole('tab', { name: 'States' }).click()
    await page.getByRole('tab', { name: 'Reference' }).click()
    expect(search()).toBe('?tab=reference')
    await page.goBack()
    await selected('States').waitFor()
    expect(search()).toBe('?tab=states')
    await page.reload()
    await selected('States').waitFor()
    await page.goForward()
    await selected('Reference').waitFor()
    await open('/o/default/statecharts/run?tab=nonsense')
    await selected('Transitions').waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('keeps how far its list was loaded, after a refresh and after Back', async () => {
    const { page, authored, open } = day
    const agent = `/o/default/p/${authored.projectId}/agents/${authored.agentId}`
    await open(`${agent}?view=revisions`)
    const second = page.getByText('Page 2', { exact: true })
    const row = page.getByRole('table', { name: 'revisions' }).getByRole('cell', { name: '2', exact: true }).first()
    await page.getByRole('button', { name: 'More' }).click()
    await second.waitFor()
    await row.waitFor()
    await page.reload()
    await second.waitFor()
    await row.waitFor()
    await page.getByRole('link', { name: 'Definitions' }).click()
    await page.getByRole('heading', { level: 1, name: 'Definitions' }).waitFor()
    await page.goBack()
    await second.waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByText('Page 1', { exact: true }).waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('is the one that the user has gone to, not the one that a late success would have opened', async () => {
    const { page, open } = day
    await open('/o/default/projects')
    const released = Promise.withResolvers<void>()
    await page.route('**/api/v1/projects', async (route) => {
      if (route.request().method() === 'POST') await released.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Name').fill('Slow')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    released.resolve()
    await page.getByText('Slow created').waitFor()
    await page.unrouteAll()
    expect(new URL(page.url()).pathname).toBe('/o/default/inbox')
    expect(day.watched).toEqual(untroubled)
  })

  test('of two organizations can be open at the same time, each in its own tab', async () => {
    const { page, world, open } = day
    await open('/o/default/projects')
    const made = await page.evaluate(async () => {
      const { data } = await (await fetch('/api/auth/session')).json()
      const headers = { 'content-type': 'application/json', 'x-csrf-token': data.csrfToken }
      const body = JSON.stringify({ name: 'Second', slug: 'second' })
      return (await fetch('/api/v1/organizations', { method: 'POST', headers, body })).status
    })
    expect(made).toBe(200)
    const other = await world.another(day)
    await other.page.goto(`${world.url}/o/second/projects`)
    await other.page.getByText('No projects yet').waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Support desk' }).first().waitFor()
    // a change in one tab is shown in the other once that has focus again
    await other.page.getByRole('button', { name: 'New project' }).first().click()
    await other.page.getByLabel('Name').fill('Elsewhere')
    await other.page.getByRole('button', { name: 'Create project' }).click()
    await other.page.getByRole('heading', { level: 1, name: 'Elsewhere' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Support desk' }).first().waitFor()
    expect(await page.getByText('Elsewhere').count()).toBe(0)
    expect([day.watched, other.watched]).toEqual([untroubled, untroubled])
  })
})
