/** Delivery for members who may not read all that a Release contains. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { projectOf } from './project.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

/** Answers as to somebody who may read neither Definitions nor revisions of Agents. */
const without = (next: Fetch): Fetch => {
  return async (url, init) => {
    return /\/definitions\b|\/revisions\b/.test(url) ? refused() : next(url, init)
  }
}

async function refused() {
  const details = { permission: 'definitions:list' }
  return Response.json(
    { error: { code: 'permission_denied', message: 'No.', requestId: 'r', details } },
    { status: 403 },
  )
}

async function twoReleases() {
  const place = await projectOf(troupe)
  const { first, release, deployed, activate } = place
  await activate(await deployed(first.id), 0)
  return { ...place, second: await release('Sell more things.') }
}

test('the active Release is shown, and what a newer one changes', async () => {
  const { page, first, second } = await twoReleases()
  await world.show(page, { troupe, between: without })
  const development = await world.screen.findByRole('article', { name: 'Development' })
  world.within(development).getByRole('link', { name: `Release ${first.number}` })
  const [before, after] = [first, second].map(({ agents }) => agents[0].agentRevisionId.slice(-6))
  await world.screen.findByText(new RegExp(`^Clerk .*${before} → .*${after}$`))
  expect(world.screen.queryByText(/no active Release yet/)).toBeNull()
})

test('a Release shows where it is active, and names of its Agents', async () => {
  const { project, first } = await twoReleases()
  await world.show(`/o/default/p/${project.id}/releases/${first.id}`, { troupe, between: without })
  const agents = await world.screen.findByRole('table', { name: 'agents' })
  await world.within(agents).findByRole('link', { name: 'Clerk' })
  const environments = await world.screen.findByRole('table', { name: 'environments' })
  await world.within(environments).findByText('active')
})

test('the number of what may not be read is not shown as loading', async () => {
  const { project } = await twoReleases()
  await world.show(`/o/default/p/${project.id}`, { troupe, between: without })
  const contents = await world.screen.findByRole('navigation', { name: 'Contents' })
  const count = await world.within(contents).findByText('–')
  expect(count.closest('a')?.getAttribute('href')).toEndWith('/definitions')
})

test('a Release is not begun without the lists to choose from', async () => {
  const { project } = await projectOf(troupe)
  await world.show(`/o/default/p/${project.id}/releases?open=new`, { troupe, between: without })
  await world.screen.findByText('You need the permissions agents:list and definitions:list.')
})
