/** Every page of the console, with data: accessible, in light and dark, and without errors. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { charts } from '../../machines/charts/all.ts'
import { foundAt } from '../../src/console/shell/palette/found-at.ts'
import { describeInBrowser } from '../support/services/chromium.ts'
import { type Integrated, integrate, subscribe } from './filled/connected.ts'
import { type Filled, fill } from './filled/filled.ts'
import { plainWords } from './filled/words.ts'
import { findingsInBothThemes } from './support/axe.ts'
import { watchMoves } from './support/moves.ts'
import { walk } from './support/walk.ts'
import type { Watched } from './support/watch.ts'
import { desktop, type Endpoint, goTo, openEndpoint, openWorld, phone, settled, type World } from './world.ts'

describeInBrowser('every page', () => {
  let good: Endpoint
  let bad: Endpoint
  let world: World
  let filled: Filled
  let integrated: Integrated
  /** One window for all: what it has loaded stays. */
  let page: Page
  let watched: Watched
  beforeAll(async () => {
    good = openEndpoint(200)
    bad = openEndpoint(500)
    world = await openWorld()
    filled = await fill(world.owner, { good: good.url, bad: bad.url })
    integrated = await integrate(world.owner, world.provider, plainWords)
    await subscribe(world.owner, world.url)
    ;({ page, watched } = await world.signedIn())
  })
  afterAll(async () => {
    await world?.stop()
    good?.stop()
    bad?.stop()
  })

  const untroubled = { complaints: [], elsewhere: [] }

  test('is accessible, in all its tabs, and in dark as well', async () => {
    const { addresses, address, definitionIds, otherRunIds } = filled
    const more = [
      ...Object.values(definitionIds).map((id) => `${address('/o/:organization/p/:projectId/definitions')}/${id}`),
      ...otherRunIds.map((id) => `/o/default/runs/${id}`),
      `/o/default/statecharts/integration/${integrated.refusedId}`,
      `${address('/o/:organization/p/:projectId/e/:environmentId/workflows/:workflowRunId')}?step=return-lines`,
    ]
    const all = [...new Set([...addresses, ...more])]
    await walk(page, world.url, all, async ({ at, place }) => {
      // a hovered element may be highlighted
      await page.mouse.move(0, 0)
      const notices = await page.locator('main [role="alert"]').allInnerTexts()
      // the parts around the page, and above its tabs, are checked once
      const within = place > 0 ? '[role="tabpanel"]' : at === all[0] ? null : 'main'
      const found = { notices, ...(await findingsInBothThemes(page, within)) }
      expect({ at, place, found }).toEqual({ at, place, found: { notices: [], light: [], dark: [] } })
    })
    expect(watched).toEqual(untroubled)
  })

  const organization = '/o/:organization'
  const project = `${organization}/p/:projectId`
  const environment = `${project}/e/:environmentId`
  const fromTheTop = {
    desktop: [
      organization,
      `${organization}/inbox`,
      `${organization}/settings/billing`,
      `${organization}/statecharts`,
      `${project}/agents/:agentId`,
      `${project}/releases/:releaseId`,
      environment,
      `${environment}/playground`,
      `${environment}/configuration/variables`,
      `${environment}/configuration/connections/:connectionId`,
      `${environment}/workflows/:workflowRunId`,
      `${environment}/jobs`,
    ],
    phone: [
      organization,
      `${organization}/runs/compare`,
      `${organization}/runs/:runId`,
      `${organization}/statecharts/:kind/simulator`,
      `${organization}/settings/keys/:keyId`,
      `${environment}/configuration/connections/:connectionId`,
      `${environment}/workflows/:workflowRunId`,
    ],
  }

  test.each([
    ['desktop', desktop],
    ['phone', phone],
  ] as const)(
    'appears from the top on a %s: no control moves after it is shown, in whatever order the answers come',
    async (device, size) => {
      const slow = await world.another({ page, watched })
      await slow.page.setViewportSize(size)
      const movesOf = await watchMoves(slow.page)
      for (const path of fromTheTop[device]) {
        await slow.page.goto(world.url + filled.address(path))
        await settled(slow.page)
        expect({ path, moves: await movesOf() }).toEqual({ path, moves: [] })
      }
      await slow.page.unrouteAll({ behavior: 'ignoreErrors' })
      await slow.page.close()
    },
  )

  test('shows what is chosen, and bars, also where the browser forces its colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(world.url + filled.address('/o/:organization/runs/:runId'))
    await settled(page)
    const grounds = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).backgroundColor))])
    for (const [chosen, others] of [
      ['main [role="tab"][aria-selected="true"]', 'main [role="tab"][aria-selected="false"]'],
      ['.navigation-link[aria-current]', '.navigation-link:not([aria-current])'],
    ] as const)
      expect(await grounds(chosen)).not.toEqual(await grounds(others))
    await goTo(page, '/o/default')
    expect(await grounds('.segment:has(:checked)')).not.toEqual(await grounds('.segment:not(:has(:checked))'))
    const [bar] = await grounds('.latency-bar')
    await page.emulateMedia({ forcedColors: 'none' })
    expect(await grounds('.latency-bar')).toContain(bar as string)
  })

  test('is opened by the palette for the id of its resource', async () => {
    const pages: Record<string, string> = {
      [filled.projectId]: '/o/:organization/p/:projectId',
      [filled.environmentId]: environment,
      [filled.agentId]: '/o/:organization/p/:projectId/agents/:agentId',
      [filled.definitionIds.operations as string]: '/o/:organization/p/:projectId/definitions/:definitionId',
      [filled.releaseIds[1]]: '/o/:organization/p/:projectId/releases/:releaseId',
      [filled.deploymentId]: `${environment}/deployments/:deploymentId`,
      [filled.applyId]: `${environment}/applies/:applyId`,
      [filled.connectionId]: `${environment}/configuration/connections/:connectionId`,
      [filled.webhookId]: `${environment}/webhooks/:webhookId`,
      [filled.workflowRunId]: `${environment}/workflows/:workflowRunId`,
      [filled.entityId]: `${environment}/entities/:type/:entityId`,
      [filled.runId]: '/o/:organization/runs/:runId',
      [filled.keyId]: '/o/:organization/settings/keys/:keyId',
      [filled.userGroupId]: '/o/:organization/settings/groups/:userGroupId',
      [filled.credentialId]: '/o/:organization/settings/credentials/:credentialId',
      [filled.variableId]: '/o/:organization/settings/variables',
      [filled.deliveryId]: `${environment}/webhooks/:webhookId?delivery=${filled.deliveryId}`,
    }
    for (const [id, path] of Object.entries(pages)) {
      const { body } = await world.owner.get(`/api/v1/resources/${id}`)
      expect({ id, at: foundAt({ organization: 'default' }, body.data) }).toEqual({ id, at: filled.address(path) })
    }
  })

  test('of billing and integrations shows the contract and the connections', async () => {
    await page.goto(`${world.url}${filled.address('/o/:organization/settings/billing')}`)
    const main = page.getByRole('main')
    await main.getByText('active', { exact: true }).first().waitFor()
    await main.getByRole('heading', { name: 'Usage' }).waitFor()
    await goTo(page, filled.address('/o/:organization/settings/integrations'))
    await main.getByText(integrated.clientId).waitFor()
    await main.getByText('misconfigured').first().waitFor()
    expect(watched).toEqual(untroubled)
  })

  test('draws the statechart of every kind', async () => {
    for (const { machine } of charts) {
      await goTo(page, `/o/default/statecharts/${machine.id}`)
      await page.locator('.chart-state[data-state]').first().waitFor()
    }
    expect(watched).toEqual(untroubled)
  })

  test('of a statechart lists the actors of a state selected by keyboard', async () => {
    await page.goto(`${world.url}/o/default/statecharts/run`)
    const state = page.getByLabel(/^State completed, \d+ actors?/)
    await state.focus()
    await page.keyboard.press('Enter')
    const actors = page.getByRole('table', { name: 'Actors in completed, longest in state first' })
    await actors.getByRole('link').first().press('Enter')
    await page.waitForURL(/\/statecharts\/run\/run_/)
    expect(watched).toEqual(untroubled)
  })

  test.each(['light', 'dark'] as const)('with insufficient contrast in %s is found', async (theme) => {
    await page.goto('about:blank')
    await page.setContent(`<html lang="en" data-theme="light"><title>Grey</title>
      <style>[data-theme=${theme}] p { background: rgb(80, 80, 80); color: rgb(119, 119, 119) }</style>
      <main><h1>Grey</h1><p>Grey</p></main>`)
    const found = await findingsInBothThemes(page)
    expect(found[theme].map(({ rule }) => rule)).toEqual(['color-contrast'])
    expect(found[theme === 'light' ? 'dark' : 'light']).toEqual([])
  })

  test.each([
    ['too small and too close', 'width: 16px; height: 16px', ['target-size']],
    ['small, with space around them', 'width: 16px; height: 16px; margin: 24px', []],
    ['large enough', 'width: 32px; height: 32px', []],
    ['overlapping', 'width: 32px; height: 32px; margin-right: -20px', ['target-size']],
  ])('with buttons that are %s', async (_, style, rules) => {
    await page.goto('about:blank')
    await page.setContent(`<html lang="en" data-theme="light"><title>Buttons</title>
      <style>button { padding: 0; border: 0; float: left; ${style} }</style>
      <main><h1>Buttons</h1>${'<button>x</button>'.repeat(3)}</main>`)
    const { light } = await findingsInBothThemes(page)
    expect(light.map(({ rule }) => rule)).toEqual(rules)
  })
})
