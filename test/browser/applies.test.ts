/** From a file to an active Agent in the console: a live Apply, a promotion, a rollback. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../support/services/chromium.ts'
import type { Loose } from '../support/world/replies.ts'
import { type Maker, maker } from './filled/maker.ts'
import { findingsInBothThemes } from './support/axe.ts'
import { goTo, openWorld, phone, settled, type Window, type World } from './world.ts'

const manifestOf = (instructions: string, needs: object[] = []): Loose => ({
  version: 1,
  project: { slug: 'shop', name: 'Shop' },
  agents: { clerk: { name: 'Clerk', content: { instructions, bindings: needs } } },
  environments: {
    development: { connections: { store: { kind: 'http', settings: { baseUrl: 'https://store.example.com' } } } },
  },
})

describeInBrowser('an Apply', () => {
  let world: World
  let api: Maker
  let window: Window
  let place: { development: string; production: string; project: string }
  const apply = async (manifest: Loose): Promise<Loose> => {
    const { id } = await api.post('/api/v1/applies', { manifest, environment: 'development' })
    return api.settled(`/api/v1/applies/${id}`, 'applied', 'failed')
  }
  beforeAll(async () => {
    world = await openWorld()
    api = maker(world.owner)
    const { projectId } = await apply(manifestOf('Help.'))
    const { items } = await api.get(`/api/v1/projects/${projectId}/environments`)
    const at = (kind: string) => `/o/default/p/${projectId}/e/${items.find((each: Loose) => each.kind === kind).id}`
    place = { development: at('development'), production: at('production'), project: projectId }
    window = await world.signedIn()
    await window.page.goto(world.url)
    await settled(window.page)
  })
  afterAll(() => world?.stop())
  const untroubled = { complaints: [], elsewhere: [] }

  test('is shown with its steps, its changes and the created resources', async () => {
    const { page, watched } = window
    const { id } = await apply(manifestOf('Help, and be kind.'))
    await goTo(page, place.development)
    await page.getByRole('tab', { name: 'Applies' }).click()
    await page.getByRole('row').filter({ hasText: 'applied' }).first().click()
    await page.waitForURL(`**/applies/${id}`)
    await settled(page)
    const steps = page.getByRole('list', { name: 'Progress of the Apply' }).getByRole('listitem')
    expect(await steps.count()).toBe(7)
    expect(await steps.last().innerText()).toContain('Applied')
    const changes = page.getByRole('list', { name: 'Changes' })
    expect(await changes.innerText()).toContain('Agent clerk')
    expect(await changes.innerText()).toContain('/content/instructions')
    await page.getByRole('link', { name: 'Release 2', exact: true }).waitFor()
    await page.locator('.chart-state[data-state="applied"]').first().waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await page.setViewportSize(phone)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(watched).toEqual(untroubled)
  })

  test('promotes a Release in two clicks, and rolls it back', async () => {
    const { page, watched } = window
    await goTo(page, place.development)
    await page.getByRole('button', { name: 'Promote', exact: true }).click()
    await page.getByLabel('To', { exact: true }).selectOption({ label: 'Production' })
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
    await page.waitForURL(`**${place.production}/applies/*`)
    await page.locator('.badge[data-state="applied"]').first().waitFor()

    await apply(manifestOf('Something else.'))
    await goTo(page, place.development)
    await page.getByRole('button', { name: 'Roll back one step' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.waitForURL(`**${place.development}/applies/*`)
    await page.locator('.badge[data-state="applied"]').first().waitFor()
    expect(await page.getByRole('list', { name: 'Changes' }).innerText()).toContain('Agent clerk')
    expect(watched).toEqual(untroubled)
  })

  test('with a missing requirement names it, and changes nothing', async () => {
    const { page } = window
    await apply(manifestOf('Ask the store.', [{ bindingKey: 'store', kind: 'connection', required: true }]))
    await goTo(page, place.development)
    await page.getByRole('button', { name: 'Promote', exact: true }).click()
    await page.getByLabel('To', { exact: true }).selectOption({ label: 'Production' })
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
    await page.getByText('The Agent clerk needs the Connection store, and production has none.').waitFor()
  })
})
