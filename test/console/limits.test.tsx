/** Limits in the console: the message says which limit it is, its value and what to do. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'
import { errorAnswer } from './support/watching.ts'

let troupe: Troupe
let world: ConsoleWorld
let project: string
let environment: string
beforeAll(async () => {
  const settings = { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' }
  ;[troupe, world] = await Promise.all([openTroupe({ environment: settings }), openConsole()])
  const { id } = (await troupe.owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
  const { items } = (await troupe.owner.get(`/api/v1/projects/${id}/environments`)).body.data
  project = `/o/default/p/${id}`
  environment = `${project}/e/${items[0].id}`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const press = async (name: string) => world.fireEvent.click((await world.screen.findAllByRole('button', { name }))[0]!)
const type = (label: string, value: string) =>
  world.fireEvent.change(world.screen.getByLabelText(label), { target: { value } })
const submit = (label: string) => world.fireEvent.submit(world.screen.getByLabelText(label).closest('form')!)

/** Every change is refused. */
const refusing =
  (status: number, code: string, message: string, details: object) =>
  (next: Fetch): Fetch =>
  (url, init) =>
    init.method === 'POST' && !url.includes('/api/auth/') && !url.endsWith('/preview')
      ? Promise.resolve(errorAnswer(status, code, message, details))
      : next(url, init)

const ofPlan =
  'The organization has reached the limit of Projects of its plan (projects: 100); delete one first, or change the plan.'
const fixed = 'An Environment has at most 20 webhooks; delete one first.'
const spent = 'The minute budget of the billing period is used up.'

const forms = {
  'a Project': async () => {
    await world.show('/o/default/projects', { troupe, between: refusing(422, 'limit_exceeded', ofPlan, plan) })
    await press('New project')
    type('Name', 'Another')
    submit('Name')
  },
  'an Agent': async () => {
    await world.show(`${project}/agents`, { troupe, between: refusing(422, 'limit_exceeded', ofPlan, plan) })
    await press('New agent')
    type('Name', 'Another')
    submit('Name')
  },
  'a run': async () => {
    await world.show('/o/default/playground', { troupe, between: refusing(402, 'budget_exhausted', spent, {}) })
    await press('Assistant')
    type('Prompt', 'Hello')
    submit('Prompt')
  },
  'a webhook': async () => {
    const between = refusing(422, 'limit_exceeded', fixed, { issues: [{ path: '/body', message: fixed }] })
    await world.show(`${environment}/webhooks`, { troupe, between })
    await press('New webhook')
    type('Endpoint URL', 'http://127.0.0.1:1/hooks')
    submit('Endpoint URL')
  },
}
const plan = { name: 'projects', limit: 100 }

test.each([
  ['a Project', ofPlan, true],
  ['an Agent', ofPlan, true],
  ['a run', spent, true],
  ['a webhook', fixed, false],
] as const)('the form of %s shows the limit', async (form, message, isOfPlan) => {
  await forms[form]()
  const alert = await world.screen.findByRole('alert', { hidden: true })
  expect(alert.textContent).toBe(isOfPlan ? `${message} Usage and limits` : message)
  expect(alert.querySelector('a')?.getAttribute('href')).toBe(isOfPlan ? '/o/default/settings/billing' : undefined)
})

test('an action without a form shows a toast', async () => {
  const pool = (await troupe.owner.post('/api/v1/runner-pools', { name: 'Attic' })).body.data
  const message = 'The limit of 20 usable tokens per runner pool is reached. Revoke one first.'
  const between = refusing(422, 'limit_exceeded', message, { issues: [{ path: '/body', message }] })
  await world.show(`/o/default/settings/runners/${pool.id}`, { troupe, between })
  await press('New token')
  await world.screen.findByText('Limit reached')
  await world.screen.findByText(message)
})
