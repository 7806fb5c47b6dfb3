/**
 * Takes the pictures of the console that are in these pages: a server with a support desk in it, looked at in a browser.
 *
 *     bun docs/screenshots.ts           # writes docs/screenshots/*.png; takes Debian's Chromium
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { fill } from '../test/browser/filled/filled.ts'
import { addRuns } from '../test/browser/filled/many.ts'
import { openEndpoint, openWorld, settled } from '../test/browser/world.ts'

const folder = join(import.meta.dir, 'screenshots')
await mkdir(folder, { recursive: true })
const [good, bad] = [openEndpoint(200), openEndpoint(500)]
const world = await openWorld()
const filled = await fill(world.owner, { good: good.url, bad: bad.url })
addRuns(world.troupe.file, filled.runId, 150, 9 * 60_000)
addRuns(world.troupe.file, filled.otherRunIds[0] as string, 9, 140 * 60_000)

interface Picture {
  /** The page, by its path among the routes. */
  of: string
  dark?: boolean
  /** What is clicked before. */
  before?: (page: Page) => Promise<unknown>
}

const pictures: Record<string, Picture> = {
  overview: { of: '/o/:organization' },
  runs: { of: '/o/:organization/runs' },
  run: { of: '/o/:organization/runs/:runId', before: (page) => page.getByRole('tab', { name: 'Steps' }).click() },
  statechart: { of: '/o/:organization/statecharts/:kind/:actorId', dark: true },
  delivery: { of: '/o/:organization/p/:projectId/e/:environmentId' },
  approvals: { of: '/o/:organization/p/:projectId/e/:environmentId/approvals' },
  workflow: { of: '/o/:organization/p/:projectId/e/:environmentId/workflows/:workflowRunId' },
  webhook: {
    of: '/o/:organization/p/:projectId/e/:environmentId/webhooks/:webhookId',
    before: (page) => page.getByRole('table', { name: 'deliveries' }).getByRole('link').first().click(),
  },
}

const { page } = await world.signedIn({}, filled.person)
for (const [name, { of, dark = false, before }] of Object.entries(pictures)) {
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
  await page.goto(world.url + filled.address(of))
  await settled(page)
  await before?.(page)
  await settled(page)
  // charts are laid out in a worker, and drawn then
  await page.waitForTimeout(2_000)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  console.log(`docs/screenshots/${name}.png`)
}
await world.stop()
good.stop()
bad.stop()
