/** Errors and large amounts of data: the console reports them, continues, and displays everything correctly. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/process.ts'
import { describeInBrowser } from '../support/services/chromium.ts'
import { ownerPassword } from '../support/troupe.ts'
import { type Integrated, integrate, subscribe } from './filled/connected.ts'
import { neverShown, operationsOf, recorded, verdictsOn } from './filled/fields.ts'
import { type Filled, fill } from './filled/filled.ts'
import { addRuns, addSteps } from './filled/many.ts'
import { hostileWords } from './filled/words.ts'
import { runList } from './run-list.ts'
import { harmless, injected } from './support/injected.ts'
import { misplaced } from './support/misplaced.ts'
import { openRelay } from './support/relay.ts'
import { walk } from './support/walk.ts'
import {
  type Endpoint,
  goTo,
  inOneWindow,
  laptop,
  openEndpoint,
  openWorld,
  phone,
  settled,
  until,
  type World,
} from './world.ts'

describeInBrowser('the console', () => {
  let good: Endpoint
  let bad: Endpoint
  let world: World
  let filled: Filled
  let integrated: Integrated
  let notes: ReturnType<typeof recorded>
  beforeAll(async () => {
    good = openEndpoint(200)
    bad = openEndpoint(500, `/${'W'.repeat(300)}`, hostileWords('Refused', 800))
    world = await openWorld()
    notes = recorded(world.owner)
    filled = await fill(notes.client, { good: good.url, bad: bad.url }, hostileWords)
    integrated = await integrate(notes.client, world.provider, hostileWords)
    await subscribe(notes.client, world.url)
  })
  afterAll(async () => {
    await world?.stop()
    good?.stop()
    bad?.stop()
  })

  const open = inOneWindow(() => world)

  test("asks for the password when the session ends, and keeps the form's content", async () => {
    const { page } = await open(filled.address('/o/:organization/settings/groups'))
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.getByLabel('Name').fill('Early shift')
    const { request } = page.context()
    const session = await (await request.get(`${world.url}/api/auth/session`)).json()
    const headers = { 'x-csrf-token': session.data.csrfToken }
    expect((await request.delete(`${world.url}/api/auth/session`, { headers })).status()).toBe(204)

    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(ownerPassword)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Early shift')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Early shift').first().waitFor()
  })

  test('resumes a stream after a lost connection', async () => {
    const [, runId = ''] = filled.otherRunIds
    const wire = await openRelay(world.url)
    const { page } = await world.signedIn()
    await page.goto(`${wire.url}/o/default/runs/${runId}`)
    const note = page.getByRole('main').getByRole('status')
    await note.filter({ hasText: 'Live' }).waitFor()
    await page.context().setOffline(true)
    wire.cut()
    await note.filter({ hasText: 'Connection lost, resuming' }).waitFor()

    const answers = JSON.stringify({ toolResults: [{ toolCallId: 'call_1', result: 'The second' }] })
    const answered = await world.owner.post(`/api/v1/agent-runs/${runId}/continue`, { query: answers })
    expect(answered.status).toBe(200)
    await page.context().setOffline(false)
    await page.locator('.badge[data-state="completed"]').first().waitFor()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const { body } = await world.owner.get(`/api/v1/agent-runs/${runId}/steps`, { query: { limit: 100 } })
    const steps = page.getByRole('listbox', { name: 'steps' }).getByRole('option')
    await steps.last().waitFor()
    expect(await steps.count()).toBe(body.data.items.length)
    await note.filter({ hasText: 'Complete' }).waitFor()
    await page.context().close()
    wire.stop()
  })

  test('reports a missing server, response, permission or page', async () => {
    const { page } = await world.signedIn()
    // the API cannot be reached when the page loads
    await page.route('**/api/**', (route) => route.abort('internetdisconnected'))
    await page.goto(`${world.url}/o/default/settings/groups`)
    await page.getByText('The server is not responding').waitFor()
    await page.unroute('**/api/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()

    // a page that failed to load names the request, and can be loaded again
    const error = {
      code: 'internal_error',
      message: 'The server could not complete the request.',
      requestId: 'req_500',
    }
    await page.route('**/variables?**', (route) => route.fulfill({ status: 500, json: { error } }))
    await goTo(page, '/o/default/settings/variables')
    const notice = page.getByRole('main').getByRole('alert')
    await notice.filter({ hasText: 'This could not be loaded' }).getByText('req_500').waitFor()
    await page.unroute('**/variables?**')
    await notice.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table').waitFor()
    expect(await notice.count()).toBe(0)

    // so can a page whose script the server no longer has
    await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }))
    await page.evaluate(() => history.pushState(null, '', '/o/default/alerts'))
    await notice.filter({ hasText: 'This page could not be loaded' }).waitFor()
    await page.unroute('**/assets/**')
    await notice.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()

    // an empty list says what it would contain, and how to create the first item
    const project = { slug: 'empty', name: 'Empty' }
    const { id } = (await world.owner.post('/api/v1/projects', project)).body.data
    const environments = await world.owner.get(`/api/v1/projects/${id}/environments`)
    await goTo(page, `/o/default/p/${id}/e/${environments.body.data.items[0].id}/webhooks`)
    await page.getByText('No webhooks yet').waitFor()
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /webhook/i })
        .count(),
    ).toBeGreaterThan(0)

    // a member without grants sees the name of the required permission
    const member = { email: 'member@example.com', password: ownerPassword }
    const invited = await world.owner.post('/api/v1/organizations/default/members', {
      ...member,
      password: undefined,
      role: 'member',
    })
    const { token } = invited.body.data.invitation
    const accepting = { token, name: 'Member', password: member.password }
    expect((await world.owner.post('/api/auth/invitations', accepting, { key: null })).status).toBe(200)
    const { page: theirs } = await world.signedIn({}, member)
    await theirs.goto(`${world.url}/o/default/settings/audit`)
    await theirs.getByText('You need the permission organizations:manage-members.').waitFor()
    expect(await theirs.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    for (const each of [page, theirs]) await each.context().close()
  })

  describe('displays hostile text as text', () => {
    test('that is in every text field of the API, or is refused there', async () => {
      const document = await (await fetch(`${world.url}/docs/json`)).json()
      const ids: Record<string, unknown> = {
        ...filled,
        organizationIdOrSlug: 'default',
        agentRunId: filled.runId,
        definitionId: filled.definitionIds.operations,
      }
      const addressOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? '1'))
      const found = await verdictsOn(operationsOf(document), notes.accepted, world.owner, addressOf)
      const isKnown = (text: string) => neverShown.some(({ texts }) => texts.test(text))
      expect(
        Object.entries(found.unknown).filter(([text]) => !isKnown(text)),
        'No page showed these texts: fill them in test/browser/filled/, or give the reason in `neverShown`.',
      ).toEqual([])
      // every exception is still needed
      expect(neverShown.filter(({ texts }) => !Object.keys(found.unknown).some((text) => texts.test(text)))).toEqual([])
      expect(found.covered.length).toBeGreaterThan(70)
    })

    test('on every page, in all its tabs, on a phone and on a small laptop', async () => {
      let seen = 0
      const addresses = [
        ...filled.addresses,
        ...filled.otherRunIds.map((id) => `/o/default/runs/${id}`),
        `/o/default/statecharts/integration/${integrated.integrationId}`,
      ]
      const { page, watched } = await world.signedIn({ viewport: phone }, filled.person)
      await walk(page, world.url, addresses, async ({ at, place }) => {
        expect({ at, place, ...(await injected(page)) }).toEqual({ at, place, ...harmless })
        if ((await page.locator('main').innerText()).includes('<img src=x')) seen += 1
        await page.setViewportSize(laptop)
        const there = { misplaced: await misplaced(page), ...(await injected(page)) }
        expect({ at, place, ...there }).toEqual({ at, place, misplaced: [], ...harmless })
        await page.setViewportSize(phone)
      })
      expect(seen).toBeGreaterThan(30)
      expect(watched).toEqual({ complaints: [], elsewhere: [] })
      await page.context().close()
    })

    test('in dialogs and in streams', async () => {
      const { page, watched } = await world.signedIn({ viewport: phone })
      await page.goto(
        `${world.url}${filled.address('/o/:organization/p/:projectId/e/:environmentId/webhooks/:webhookId')}`,
      )
      await page.getByRole('table', { name: 'deliveries' }).getByRole('link').first().click()
      await page.getByRole('dialog', { name: 'Delivery' }).waitFor()
      expect(await injected(page)).toEqual(harmless)

      await page.goto(`${world.url}/o/default/playground`)
      await page.getByRole('button', { name: 'Assistant' }).click()
      const said = hostileWords('Said', 1_000)
      await page.getByLabel('Prompt').fill(`/say ${said}`)
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('article', { name: 'Answer' }).getByText(said).waitFor()
      expect(await injected(page)).toEqual(harmless)
      expect(watched).toEqual({ complaints: [], elsewhere: [] })
      await page.context().close()
    })
  })

  test('has only the visible ones of 3,000 steps in the document', async () => {
    addSteps(world.troupe.file, filled.runId, 3_000)
    const { page, watched } = await open(`/o/default/runs/${filled.runId}`)
    await page.getByRole('tab', { name: 'Steps' }).click()
    const list = page.getByRole('listbox', { name: 'steps' })
    await list.waitFor()
    expect(await list.getAttribute('aria-label')).toMatch(/^30\d\d steps$/)
    const shown = () => list.locator('.waterfall-step').count()
    for (const part of [0.001, 0.01, 0.5, 1]) {
      await list.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), part)
      await until(page, () => !document.querySelector('.waterfall-loading'))
      expect(await shown()).toBeLessThan(60)
    }
    await list.getByRole('option').filter({ hasText: 'step 3000' }).click()
    await list.press('Home')
    await list.getByRole('option', { selected: true }).filter({ hasText: 'Clerk' }).waitFor()
    expect(await shown()).toBeLessThan(60)
    expect(watched.complaints).toEqual([])
  })

  test('scrolls through a filtered list of 20,000 runs while it changes', async () => {
    const [failedId = ''] = filled.otherRunIds
    const half = 10_000
    addRuns(world.troupe.file, filled.runId, half, 2_000)
    addRuns(world.troupe.file, failedId, half, 2_001)
    const { page, watched } = await world.signedIn()
    await page.goto(`${world.url}/o/default/runs`)
    const list = runList(page)

    // newest first, without duplicates, and back again to the same
    const seen = await list.through(450)
    expect(seen).toEqual([...new Set(seen)].sort().reverse())
    await list.top()
    expect((await list.through(30)).slice(0, 30)).toEqual(seen.slice(0, 30))
    await list.top()

    await list.toggle('failed')
    await list.choose('Project', filled.projectId)
    await list.choose('Agent', filled.agentId)
    const { search } = new URL(page.url())
    expect((await list.through(250)).length).toBeGreaterThanOrEqual(250)
    expect(new Set(await list.states())).toEqual(new Set(['failed']))
    // the address contains the whole filter
    await page.reload()
    expect(new URL(page.url()).search).toBe(search)
    await list.through(10)
    expect(new Set(await list.states())).toEqual(new Set(['failed']))
    await list.choose('Agent', '')
    await list.toggle('failed')

    // a run that starts appears at the top and updates there, by server events
    const query = '/call ask_customer {"question": "Which?"}'
    const started = await world.owner.post('/api/v1/agent-runs', {
      agentId: filled.agentId,
      environmentId: filled.environmentId,
      query,
    })
    const { id } = started.body.data
    const newest = list.first.filter({ has: page.locator(`a[href$="${id}"]`) })
    const shown = async (state: string) => {
      await eventually(`the run is ${state}`, async () => {
        const { body } = await world.owner.get(`/api/v1/agent-runs/${id}`)
        return body.data.state === state
      })
      await newest.locator(`.badge[data-state="${state}"]`).waitFor()
    }
    await shown('awaitingToolResult')
    const answer = JSON.stringify({ toolResults: [{ toolCallId: 'call_1', result: 'The first' }] })
    expect((await world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: answer })).status).toBe(200)
    await shown('completed')
    await newest.getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    expect(await page.locator('main [role="alert"]').allInnerTexts()).toEqual([])
    expect(watched.complaints).toEqual([])
  })
})
