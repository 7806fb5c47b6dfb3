/** Members, groups and their access in the console, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { errorAnswer } from '../support/watching.ts'

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

const press = async (name: string) =>
  world.fireEvent.click(await world.screen.findByRole('button', { name, hidden: true }))

test('a second variable is deleted while the deletion of a first one is under way', async () => {
  const variables = '/api/v1/organizations/default/variables'
  for (const name of ['ONE', 'TWO']) await troupe.owner.post(variables, { name, value: 'x' })
  const answering = Promise.withResolvers<void>()
  const deleted: string[] = []
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (init.method !== 'DELETE') return next(url, init)
      deleted.push(url)
      await answering.promise
      return next(url, init)
    }
  await world.show('/o/default/settings/variables', { troupe, between })
  for (const [count, name] of ['ONE', 'TWO'].entries()) {
    await press(`Delete ${name}`)
    await press('Delete')
    await world.waitFor(() => expect(deleted).toHaveLength(count + 1))
  }
  answering.resolve()
  await world.screen.findByText('No variables yet')
  await world.screen.findByText('TWO deleted')
})

test.each([
  [403, 'forbidden', 'No.', 'You lack permission to list members.'],
  [500, 'internal_error', 'It failed.', 'The list of members could not be loaded: It failed.'],
])('a form without a choice of members says why: %d', async (status, code, message, why) => {
  const organization = '/api/v1/organizations/default'
  const name = `Group ${status}`
  const { id } = (await troupe.owner.post(`${organization}/user-groups`, { name })).body.data
  const between =
    (next: Fetch): Fetch =>
    (url, init) =>
      new URL(url).pathname.endsWith('/members') && !url.includes('/user-groups/')
        ? Promise.resolve(errorAnswer(status, code, message))
        : next(url, init)
  await world.show(`/o/default/settings/groups/${id}`, { troupe, between })
  await press('Add a member')
  await world.screen.findByText(why)
})
