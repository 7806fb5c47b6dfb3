/** The main tasks in the console, from the first click to the last, in a real browser. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/process.ts'
import { describeInBrowser } from '../support/services/chromium.ts'
import { type Authored, author } from './filled/authored.ts'
import { serve } from './filled/happened.ts'
import { type Maker, maker } from './filled/maker.ts'
import { plainWords } from './filled/words.ts'
import { findingsInBothThemes } from './support/axe.ts'
import { inOneWindow, openEndpoint, openWorld, type World } from './world.ts'

describeInBrowser('a person', () => {
  let world: World
  let api: Maker
  let authored: Authored
  /** By kind. */
  let environments: Record<string, { api: string; console: string; id: string }>
  beforeAll(async () => {
    world = await openWorld()
    api = maker(world.owner)
    authored = await author(api, plainWords, 'support-desk', false)
    const { items } = await api.get(`${authored.project}/environments`)
    environments = Object.fromEntries(
      items.map(({ id, kind }: { id: string; kind: string }) => [
        kind,
        {
          id,
          api: `${authored.project}/environments/${id}`,
          console: `/o/default/p/${authored.projectId}/e/${id}`,
        },
      ]),
    )
    await serve(api, environments.development!.api, authored.releaseIds[0], 'To begin with')
  })
  afterAll(() => world?.stop())
  afterEach(() => expect(world.sentTwice()).toEqual([]))

  const open = inOneWindow(() => world)
  const badge = (page: Page, state: string) => page.locator(`.badge[data-state="${state}"]`).first().waitFor()

  test('chats with an Agent in the playground, with a streamed answer', async () => {
    const { page, watched } = await open('/o/default/playground')
    await page.getByRole('button', { name: 'Assistant' }).click()
    const question = '/call calculator {"expression": "6*7"}\n/say Let me see.\n/sleep 1500\n/say Forty-two.'
    await page.getByLabel('Prompt').fill(question)
    await page.keyboard.press('Enter')
    // the first half of the answer appears while the second is pending
    const answer = page.getByRole('article', { name: 'Answer' })
    await answer.getByText('Let me see.').waitFor()
    await answer.getByText('Let me see. Forty-two.').waitFor()
    await badge(page, 'completed')
    expect(await page.getByRole('article', { name: 'Prompt' }).innerText()).toContain('/sleep 1500')

    await page.getByLabel('Next message').fill('And now?')
    await page.keyboard.press('Enter')
    await page.getByText('You said: And now?').waitFor()
    await badge(page, 'completed')

    await page.getByRole('link', { name: 'View run' }).click()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('listbox', { name: 'steps' }).getByRole('option')
    await steps.filter({ hasText: 'calculator' }).click()
    expect(await steps.allInnerTexts()).toHaveLength(6)
    await page.getByText('"6*7"').first().waitFor()
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('follows a run on its statechart while another user answers it', async () => {
    const { id } = await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: environments.development!.id,
      query: '/call ask_customer {"question": "Which of the two?"}\n/say The second it is.',
    })
    const { page, watched } = await open(`/o/default/runs/${id}`)
    await badge(page, 'awaitingToolResult')
    await page.getByRole('tab', { name: 'Internals' }).click()
    await page.getByRole('region', { name: /in awaitingToolResult$/ }).waitFor()
    await page.locator('.chart-state.is-visited[data-state="running"]').waitFor()

    const other = await page.context().newPage()
    await other.goto(`${world.url}/o/default/runs/${id}`)
    await other.getByText('Which of the two?').first().waitFor()
    await other.getByLabel('Answer to ask_customer').fill('The second')
    await other.getByRole('button', { name: 'Send answer' }).click()
    await other.getByText('The second it is.', { exact: true }).waitFor()

    await page.getByRole('region', { name: /in completed$/ }).waitFor()
    await page.locator('.chart-state.is-active[data-state="completed"]').waitFor()
    await badge(page, 'completed')
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })

  test('delivers a Release step by step, is overtaken, decides again, and rolls back', async () => {
    const at = environments.preview!
    const { page } = await open(at.console)
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('button', { name: 'Create revision' }).click()
    await page.getByText('Configuration 1 created').waitFor()
    const deliver = async (release: string) => {
      await page.getByLabel('Release', { exact: true }).selectOption({ label: release })
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await page.getByText('can be activated').waitFor()
    }
    await deliver('Release 1: The first one')
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText('Active as generation 1.').waitFor()

    await page.getByLabel('Release', { exact: true }).selectOption({ label: 'Release 2: Orders can be shipped again' })
    await page.getByText('Changes', { exact: true }).click()
    const ofRelease = page.getByRole('list', { name: 'Changes' })
    await ofRelease.getByText('Agent clerk', { exact: true }).waitFor()
    await deliver('Release 2: Orders can be shipped again')
    await page.getByText('Generation 1 becomes 2.').waitFor()
    await page.getByRole('link', { name: 'View Deployment' }).click()
    await page.getByRole('heading', { name: 'Changes from the active Deployment' }).waitFor()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    const decision = page.getByRole('dialog', { name: 'Activate this Deployment?' })
    const change = decision.getByRole('listitem').filter({ hasText: 'Agent clerk' })
    await change.getByText('/maxSteps').waitFor()
    await change.locator('ins', { hasText: 'orders.ship' }).waitFor()
    // the text of the change must fit into the dialog
    const inside = await decision.evaluate((dialog) => dialog.scrollWidth <= dialog.clientWidth)
    expect(inside).toBe(true)
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await decision.getByRole('button', { name: 'Cancel' }).click()
    await page.goBack()
    await page.getByLabel('Release', { exact: true }).selectOption({ label: 'Release 2: Orders can be shipped again' })
    await page.getByText('Generation 1 becomes 2.').waitFor()
    const { activeDeploymentId } = await api.get(at.api)
    // another user activates first, after the page was last refreshed
    await page.route(
      '**/activations',
      async (route) => {
        await api.post(`${at.api}/activations`, { deploymentId: activeDeploymentId, expectedGeneration: 1 })
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    const overtaken = page.getByRole('alert').filter({ hasText: 'the Environment is now at generation 2' })
    await overtaken.getByRole('button', { name: 'Activate mine at generation 2' }).click()
    await page.getByText('Active as generation 3.').waitFor()

    await page.getByRole('row', { name: /^1\b/ }).getByRole('button', { name: 'Roll back' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll back to generation 1?' })
    await dialog.getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('Activated as generation 4').first().waitFor()
    expect(await api.get(at.api)).toMatchObject({ generation: 4, activeDeploymentId })
  })

  test('finds a dead letter, retries it, and rotates the secret, which is shown once', async () => {
    const { api: path, console: at } = environments.development!
    const endpoint = openEndpoint(500)
    const body = { endpointUrl: endpoint.url, eventTypes: ['run.completed'] }
    const webhook = await api.post(`${path}/webhooks`, body)
    await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: environments.development!.id,
      query: 'Hello',
    })
    await eventually('three attempts', () => endpoint.received === 3)
    const { page } = await open(`${at}/webhooks/${webhook.id}`)
    await badge(page, 'dead-letter')
    await page.getByRole('table', { name: 'deliveries' }).getByRole('link').click()
    const dialog = page.getByRole('dialog', { name: 'Delivery' })
    const attempts = dialog.getByRole('list', { name: 'Attempts' }).getByRole('listitem')
    expect((await attempts.allInnerTexts()).map((line) => line.includes('500'))).toEqual([true, true, true, false])

    endpoint.status = 200
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await dialog.locator('.badge[data-state="delivered"]').waitFor()
    expect(endpoint.received).toBe(4)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    const once = page.getByRole('dialog', { name: 'Signing secret, version 2' })
    const secret = await once.getByRole('region', { name: 'signing secret' }).innerText()
    expect(secret).toStartWith('whsec_')
    await once.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('version 2').waitFor()
    await page.reload()
    await page.getByText('version 2').waitFor()
    expect(await page.content()).not.toContain(secret)
    endpoint.stop()
  })

  test('approves a call of an Agent, and the run continues', async () => {
    const at = environments.development!
    const { id } = await api.post('/api/v1/agent-runs', {
      agentId: authored.agentId,
      environmentId: at.id,
      query: '/call refund {"number": "B-4", "amount": 12.5}\n/say Paid back.',
    })
    const { page, watched } = await open(`/o/default/runs/${id}`)
    await badge(page, 'awaitingToolResult')
    const inbox = await page.context().newPage()
    await inbox.goto(`${world.url}${at.console}/approvals`)
    await inbox.getByRole('link', { name: 'orders.refund' }).click()
    const dialog = inbox.getByRole('dialog', { name: 'Decide on orders.refund' })
    await dialog.getByText('"B-4"').waitFor()
    await dialog.getByLabel('Note').fill('B-4 came back yesterday.')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await inbox.getByText('No pending approvals').waitFor()

    await badge(page, 'completed')
    await page.getByText('Paid back.').last().waitFor()
    await inbox.getByRole('button', { name: 'Show decided' }).click()
    await inbox.getByText('B-4 came back yesterday.').waitFor()
    expect(watched).toEqual({ complaints: [], elsewhere: [] })
  })
})
