/** Viewing, changing and deploying an Agent on its own page and that of the Environment. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../../support/services/chromium.ts'
import { serve } from '../filled/happened.ts'
import { findingsInBothThemes } from '../support/axe.ts'
import { desktop, phone } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

describeInBrowser('an Agent', () => {
  let day: Day
  let agent: string
  beforeAll(async () => {
    day = await openDay()
    agent = `/o/default/p/${day.authored.projectId}/agents/${day.authored.agentId}`
  })
  afterAll(() => day?.stop())

  test('shows where it is deployed and its recent runs, and its tools can be called directly', async () => {
    const { page, api, authored, open } = day
    const { id } = await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: day.environmentId,
      query: '/say Here it is.',
    })
    await api.settled(`/api/v1/agent-runs/${id}`, 'completed')
    await open(agent)
    const places = page.getByRole('table', { name: 'Environments of this Agent' })
    await places.getByRole('row', { name: /^Development .*Release 1/ }).waitFor()
    await places.getByRole('row', { name: /^Production Not included/ }).waitFor()
    await page.getByRole('link', { name: '/say Here it is.' }).waitFor()

    await page.getByRole('button', { name: 'Call calculator' }).click()
    const dialog = page.getByRole('dialog', { name: 'Call calculator' })
    await dialog.getByLabel('Input', { exact: true }).fill('{"expression": "6*7"}')
    await dialog.getByRole('button', { name: 'Call', exact: true }).click()
    // not anywhere: ids in the request may contain the number
    await dialog.getByRole('status').getByText('42').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    expect(day.watched).toEqual(untroubled)
  })

  test('is validated while its next revision is edited, with the changes beside it', async () => {
    const { page, open } = day
    await open(`${agent}?view=publish`)
    const changes = page.getByRole('region', { name: 'Changes of this draft' })
    await changes.getByText('unchanged', { exact: true }).waitFor()
    await page.getByLabel('Maximum steps').fill('1000')
    await changes.getByText('1 problem', { exact: true }).waitFor()
    await page.getByText('Must be at most 100.').waitFor()
    await page.getByLabel('Maximum steps').fill('25')
    await changes.getByText('valid', { exact: true }).waitFor()
    await changes.getByText('"maxSteps": 25').waitFor()
    await page.getByText('Must be at most 100.').waitFor({ state: 'detached' })
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await page.setViewportSize(phone)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    await page.setViewportSize(desktop)
    // a refresh or a closed tab loses nothing: another tab continues the draft
    await page.reload()
    await page.getByText(/was restored/).waitFor()
    expect(await page.getByLabel('Maximum steps').inputValue()).toBe('25')
    const other = await day.world.another(day)
    await other.page.goto(day.world.url + agent)
    await other.page.getByRole('button', { name: 'Continue draft' }).click()
    expect(await other.page.getByLabel('Maximum steps').inputValue()).toBe('25')
    await other.page.getByLabel('Maximum steps').fill('26')
    await page.getByRole('button', { name: 'Load the other version' }).click()
    expect(await page.getByLabel('Maximum steps').inputValue()).toBe('26')
    await other.page.close()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await page.getByRole('button', { name: /^Publish revision/ }).click()
    await page.getByText(/^Revision \d+ published$/).waitFor()
    await page
      .getByRole('table', { name: 'Environments of this Agent' })
      .getByRole('row', { name: /^Development .*behind/ })
      .waitFor()
    await page.getByRole('button', { name: 'New revision' }).waitFor()
    // the browser also logs the refused draft
    expect(day.watched.complaints.splice(0)).toEqual([expect.stringContaining('422')])
    expect(day.watched).toEqual(untroubled)
  })

  test('is promoted and rolled back in two clicks, based on the differences from the previous Environment', async () => {
    const { page, api, authored, open } = day
    const environments = (await api.get(`${authored.project}/environments`)).items
    const { id } = environments.find(({ kind }: { kind: string }) => kind === 'production')
    const production = `${authored.project}/environments/${id}`
    await serve(api, production, authored.releaseIds[0], 'As it was')
    await open(`/o/default/p/${authored.projectId}`)
    const card = page.getByRole('article', { name: 'Production' })
    await card.getByText('Same as in Development.').waitFor()

    await serve(api, day.path, authored.releaseIds[1], 'As it is to be')
    await page.reload()
    const differences = card.getByRole('region', { name: 'Differences from Development' })
    await differences.getByText('revision 2').first().waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await card.getByRole('button', { name: 'Promote Release 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Promote', exact: true }).click()
    await page.waitForURL(new RegExp(`/e/${id}/applies/apl_`))
    await page.locator('main .badge[data-state="applied"]').first().waitFor()

    await open(`/o/default/p/${authored.projectId}`)
    await card.getByText('Release 2', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.waitForURL(new RegExp(`/e/${id}/applies/apl_`))
    await page.locator('main .badge[data-state="applied"]').first().waitFor()
    expect((await api.get(production)).generation).toBe(3)
    await open(`/o/default/p/${authored.projectId}`)
    await differences.getByRole('link', { name: /differences from Development$/ }).click()
    await page.getByRole('tab', { name: 'Differences', selected: true }).waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('is exported with its Project, and planned and applied from a file', async () => {
    const { page, open } = day
    await open(`${day.console}?tab=applies`)
    await page.getByRole('button', { name: 'Export as manifest' }).click()
    const exported = page.getByRole('dialog', { name: 'The active Deployment as a manifest' })
    const text = await exported.getByRole('region', { name: 'manifest' }).innerText()
    await exported.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Apply a manifest' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply a manifest' })
    await dialog.getByLabel('Or paste its text').fill('version: [')
    await dialog.getByRole('button', { name: 'Plan', exact: true }).click()
    await dialog.getByText(/^The text is neither valid JSON nor valid YAML/).waitFor()
    const changed = JSON.parse(text)
    changed.agents.clerk.content.instructions = 'Answer, and be kind.'
    await dialog.getByLabel('Or paste its text').fill(JSON.stringify(changed))
    await dialog.getByRole('button', { name: 'Plan', exact: true }).click()
    await dialog.getByText('Agent clerk').waitFor()
    expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual({ light: [], dark: [] })
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.waitForURL(/\/applies\/apl_/)
    await page.locator('main .badge[data-state="applied"]').first().waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('of the platform is disabled for everyone, and enabled again', async () => {
    const { page, open } = day
    await open('/o/default/playground')
    await page.getByText('Manage System Agents').click()
    const list = page.getByRole('list', { name: 'System Agents' })
    await list.getByRole('button', { name: 'Disable Assistant' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
    await list.getByRole('button', { name: 'Enable Assistant' }).click()
    await list.getByRole('button', { name: 'Disable Assistant' }).waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    expect(day.watched).toEqual(untroubled)
  })

  test('with failing runs is counted on the overview, and the count links to those runs', async () => {
    const { page, api, authored, open } = day
    const { id } = await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: day.environmentId,
      query: '/fail The order is not known.',
    })
    await api.settled(`/api/v1/agent-runs/${id}`, 'failed')
    await open(`/o/default?projectId=${authored.projectId}`)
    await page.reload()
    const tile = page.getByRole('listitem').filter({ hasText: 'Failed runs' })
    await tile.getByText('1', { exact: true }).waitFor()
    await tile.getByRole('link', { name: 'Failed runs' }).click()
    await page.locator(`main a[href$="${id}"]`).first().waitFor()
    const query = new URL(page.url()).searchParams
    expect([query.get('projectId'), query.get('states')]).toEqual([authored.projectId, 'failed'])
    const [since, until] = ['endedSince', 'endedUntil'].map((name) => Date.parse(query.get(name) ?? '')) as [
      number,
      number,
    ]
    expect(since).toBeGreaterThan(Date.now() - 26 * 3_600_000)
    expect(until).toBeGreaterThan(Date.now())
    await page.getByLabel('Ended').waitFor()
    expect(day.watched).toEqual(untroubled)
  })
})
