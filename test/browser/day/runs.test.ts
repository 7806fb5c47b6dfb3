/** Everyday use of runs in the console: finding, watching, comparing, restarting and canceling them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { describeInBrowser } from '../../support/services/chromium.ts'
import { addRuns } from '../filled/many.ts'
import { queuedForLong, roomBeside, runList } from '../run-list.ts'
import { findingsInBothThemes } from '../support/axe.ts'
import { costOfScroll } from '../support/felt.ts'
import { phone, settled } from '../world.ts'
import { type Day, openDay, untroubled } from './day.ts'

describeInBrowser('runs', () => {
  let day: Day
  /** One completed, one failed, and one that sleeps until it is canceled. */
  const ids = { answered: '', failed: '', asleep: '' }
  const start = async (query: string) =>
    (await day.api.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query })).id as string
  const stateOf = async (id: string) => (await day.api.get(`/api/v1/agent-runs/${id}`)).state
  const inState = (id: string, state: string) =>
    eventually(`${id} is ${state}`, async () => (await stateOf(id)) === state)
  const list = () => runList(day.page)
  const row = (text: string) => list().rows.filter({ hasText: text })

  beforeAll(async () => {
    day = await openDay()
    await day.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    ids.answered = await start('/call calculator {"expression": "6*7"}\n/say The parcel is on its way.')
    ids.failed = await start('/fail The warehouse is closed.')
    ids.asleep = await start('/sleep 600000')
    await inState(ids.answered, 'completed')
    await inState(ids.failed, 'failed')
  })
  afterAll(() => day?.stop())

  test('show in the list their query, their error, and their usage', async () => {
    await day.open('/o/default/runs')
    await row('The parcel').getByText('sandbox').waitFor()
    await row('The warehouse').getByText('The warehouse is closed.', { exact: true }).waitFor()
    const tokens = row('The parcel').locator('[data-title="Tokens"]')
    expect(Number(await tokens.innerText())).toBeGreaterThan(0)
    expect(await findingsInBothThemes(day.page, 'main')).toEqual({ light: [], dark: [] })
    expect(day.watched).toEqual(untroubled)
  })

  test.each([1024, 1100, 1280])('that were queued for long fit into the table at %d pixels', async (width) => {
    const { page } = await day.world.another(day)
    await queuedForLong(page)
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${day.world.url}/o/default/runs`)
    const queued = page.getByText('queued 59 min 59 s').first()
    await queued.waitFor()
    expect(await roomBeside(queued, '.run-table')).toBeGreaterThan(0)
    await page.close()
  })

  test('are found by words, state and time, all in the address', async () => {
    const { page } = day
    await page.getByLabel('Search in first messages').fill('PARCEL way')
    await row('The warehouse').waitFor({ state: 'detached' })
    await row('The parcel').waitFor()
    expect(await list().rows.count()).toBe(1)
    await page.getByLabel('Created', { exact: true }).selectOption('Last hour')
    expect(new URL(page.url()).search).toBe('?search=PARCEL+way&within=1h')
    await page.reload()
    await row('The parcel').waitFor()
    expect(await list().rows.count()).toBe(1)
    await list().toggle('failed')
    await page.getByText('No matching runs').waitFor()
    await page.getByRole('button', { name: 'Show all runs' }).click()
    await row('The warehouse').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('have views, which can be named, shared and closed', async () => {
    const { page } = day
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: 'Failed', exact: true }).click()
    await row('The parcel').waitFor({ state: 'detached' })
    await page.goBack()
    await row('The parcel').waitFor()
    await page.getByLabel('Search in first messages').fill('warehouse')
    await views.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Warehouse')
    await page.keyboard.press('Enter')
    await views.getByRole('link', { name: 'All', exact: true }).click()
    await row('The parcel').waitFor()

    const { page: other, watched } = await day.world.another(day)
    await other.goto(`${day.world.url}/o/default/runs`)
    await other.getByRole('link', { name: 'Warehouse', exact: true }).click()
    await other.getByText('The warehouse is closed.', { exact: true }).waitFor()
    expect(new URL(other.url()).search).toBe('?search=warehouse')
    await other.getByRole('button', { name: 'Remove the view Warehouse' }).click()
    await views.getByRole('link', { name: 'Warehouse', exact: true }).waitFor({ state: 'detached' })
    expect(watched).toEqual(untroubled)
    await other.close()
  })

  test('appear and update live, also while older ones are being read', async () => {
    const { page } = day
    await day.open('/o/default/runs')
    const states = page.getByRole('group', { name: 'States' })
    const id = await start('/call ask_customer {"question": "Which?"}\n/sleep 300\n/say This one.')
    await row('This one').locator('[data-state="completed"], [data-state="running"]').waitFor()
    await inState(id, 'completed')
    await row('This one').locator('[data-state="completed"]').waitFor()
    await states.getByText('2', { exact: true }).waitFor()

    addRuns(day.world.troupe.file, ids.answered, 400)
    await page.reload()
    await list().through(60)
    const top = await list().first.getAttribute('aria-rowindex')
    expect(Number(top)).toBeGreaterThan(10)
    await start('/say A late one.')
    await page.getByRole('button', { name: '1 new run' }).click()
    await row('A late one').waitFor()
  })

  test('are started again with changes, and compared with the original', async () => {
    const { page } = day
    await day.open(`/o/default/runs/${ids.answered}`)
    await page.getByRole('article', { name: 'Answer' }).getByText('The parcel is on its way.').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    const message = page.getByLabel('First message')
    expect(await message.inputValue()).toContain('/say The parcel is on its way.')
    await message.fill('/say The parcel is lost.')
    await page.getByLabel('Compare it with this run').check()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
    const answers = page.getByRole('region', { name: 'difference of the answers' })
    await answers.getByText('The parcel is lost.').waitFor()
    await answers.getByText('The parcel is on its way.').waitFor()
    const steps = page.getByRole('table', { name: 'steps of both runs' })
    await steps.locator('.compare-apart', { hasText: 'calculator' }).waitFor()
    const { search } = new URL(page.url())
    await page.getByRole('button', { name: 'Swap' }).click()
    expect(new URL(page.url()).search).not.toBe(search)
    await page.goBack()
    await answers.waitFor()
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
    await page.setViewportSize(phone)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(day.watched).toEqual(untroubled)
  })

  test('are copied as a working request, by keyboard', async () => {
    const { page } = day
    await day.open(`/o/default/runs/${ids.failed}`)
    await page.getByRole('button', { name: 'Copy', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Address', exact: true }).waitFor()
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('Copied').first().waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    const shell = Bun.spawn(['sh', '-c', copied], {
      env: { ...process.env, TROUPE_KEY: day.world.troupe.key },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const { data } = JSON.parse(await new Response(shell.stdout).text())
    const query = { ids: data.id, include: 'summary' }
    const { body } = await day.world.owner.get('/api/v1/agent-runs', { query })
    expect(body.agentRuns[0].summary.query).toBe('/fail The warehouse is closed.')
  })

  test('have steps that are shared by their address', async () => {
    const { page } = day
    await day.open(`/o/default/runs/${ids.answered}?tab=steps`)
    await page.getByRole('option', { name: /^tool calculator/ }).click()
    await page.waitForURL(/tab=steps&step=\d+$/)
    const { page: other } = await day.world.another(day)
    await other.goto(page.url())
    await other.getByRole('complementary', { name: 'Step' }).getByText('6*7').first().waitFor()
    await other.close()
  })

  test('keep their internals behind a tab that is in the address', async () => {
    const { page } = day
    await day.open(`/o/default/runs/${ids.answered}`)
    await page.getByRole('tab', { name: 'Internals' }).click()
    await page.getByRole('tab', { name: 'Attempts' }).click()
    await page.getByRole('table', { name: 'attempts' }).getByText('completed').waitFor()
    expect(new URL(page.url()).search).toBe('?tab=internals&part=attempts')
    await page.reload()
    await page.getByRole('table', { name: 'attempts' }).waitFor()
    await settled(page)
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
  })

  test('are selected by keyboard and canceled together, with one confirmation', async () => {
    const { page } = day
    const more = await Promise.all(Array.from({ length: 6 }, () => start('/sleep 600000')))
    await day.open('/o/default/runs?states=running,queued,acquiring,starting')
    await eventually('seven are shown', async () => (await list().rows.count()) === 7)
    await page.getByLabel('Select all loaded runs').focus()
    await page.keyboard.press('Space')
    const bar = page.getByRole('region', { name: 'Selected runs' })
    await bar.getByText('7 runs selected').waitFor()
    await bar.getByRole('button', { name: 'Cancel', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The API cancels runs for API keys only.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel 7 runs' }).click()
    await dialog.getByText('Done: 7 of 7 runs canceled').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    for (const id of [...more, ids.asleep]) await inState(id, 'canceled')
    await page.getByText('No matching runs').waitFor()

    const others = await Promise.all(Array.from({ length: 3 }, () => start('/sleep 600000')))
    await eventually('three are shown', async () => (await list().rows.count()) === 3)
    await page.getByLabel('Select all loaded runs').check()
    await bar.getByRole('button', { name: 'Select all that match' }).click()
    await dialog.getByRole('heading', { name: 'Select all 3 runs that match' }).waitFor()
    await dialog.getByText('Fork', { exact: true }).click()
    await dialog.getByLabel('Another input').waitFor()
    await dialog.getByText('Cancel', { exact: true }).click()
    expect(await dialog.getByText('The API cancels runs').count()).toBe(0)
    expect(await findingsInBothThemes(page, 'dialog')).toEqual({ light: [], dark: [] })
    await dialog.getByRole('button', { name: 'Cancel 3 runs' }).click()
    await dialog.getByText('Done: 3 of 3 runs canceled').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    for (const id of others) await inState(id, 'canceled')

    const last = await start('/sleep 600000')
    // a page that stays busy while the run is
    await page.goto(`${day.world.url}/o/default/runs/${last}`)
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await dialog.getByRole('button', { name: 'Cancel the run' }).waitFor()
    expect(await dialog.getByText('The API cancels runs').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel the run' }).click()
    await inState(last, 'canceled')
    await day.open('/o/default/settings/keys')
    await page.getByText('Console: agent-runs:cancel').first().waitFor()
    expect(day.watched).toEqual(untroubled)
  })

  test('scroll, a hundred thousand of them, with only the visible ones in the document', async () => {
    const { page } = day
    addRuns(day.world.troupe.file, ids.answered, 100_000, 1_000)
    await day.open('/o/default/runs')
    await list().through(30)
    const fast = await costOfScroll(page, 400, 100)
    const slow = await costOfScroll(page, 40, 50)
    console.log(`main thread for a frame: ${fast.toFixed(1)} ms at 400 pixels, ${slow.toFixed(1)} ms at 40`)
    const seen = await page.evaluate(() => {
      const rows = document.querySelectorAll('.run-row')
      return { rows: rows.length, inRow: rows[0]!.querySelectorAll('*').length, top: window.scrollY }
    })
    expect(seen.rows).toBeLessThan(60)
    // each costs a part of every frame
    expect(seen.inRow).toBeLessThan(20)
    expect(seen.top).toBeGreaterThan(20_000)
    expect(await findingsInBothThemes(page, 'main')).toEqual({ light: [], dark: [] })
  })

  test('keep the keyboard focus while they scroll, and are selected with Shift', async () => {
    const { page } = day
    await page.reload()
    await list().top()
    const boxAt = (row: number) => page.locator(`.run-row[aria-rowindex="${row}"]`).getByRole('checkbox')
    await boxAt(3).focus()
    await page.keyboard.press('Space')
    await page.evaluate(() => window.scrollTo(0, 4_000))
    await boxAt(73).waitFor()
    expect(await boxAt(3).evaluate((box) => box === document.activeElement)).toBe(true)
    // the row's link, which is scrolled to, then the checkbox of the next
    await page.keyboard.press('Tab')
    await boxAt(4).waitFor()
    await page.keyboard.press('Tab')
    expect(await boxAt(4).evaluate((box) => box === document.activeElement)).toBe(true)
    await page.keyboard.press('j')
    expect(await boxAt(5).evaluate((box) => box.closest('.run-row')!.contains(document.activeElement))).toBe(true)
    await boxAt(9).click({ modifiers: ['Shift'] })
    await page.getByRole('region', { name: 'Selected runs' }).getByText('7 runs selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
  })

  test('fit a tablet, a small window and a phone', async () => {
    const { page } = day
    for (const size of [{ width: 1024, height: 768 }, { width: 700, height: 800 }, phone]) {
      await page.setViewportSize(size)
      for (const at of ['/o/default/runs', `/o/default/runs/${ids.failed}`]) {
        await day.open(at)
        await settled(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.width)
      }
    }
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    const box = await page.getByRole('menu', { name: 'Copy' }).boundingBox()
    expect(box!.x).toBeGreaterThanOrEqual(0)
    expect(box!.x + box!.width).toBeLessThanOrEqual(phone.width)
  })
})
