/** Recoveries of deliveries in the console. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let path: string
let page: string
beforeAll(async () => {
  const environment = { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' }
  ;[troupe, world] = await Promise.all([openTroupe({ environment }), openConsole()])
  // pages are loaded when they are looked at first, which takes its time on a busy machine
  await Promise.all([
    import('../../../src/console/pages/webhooks/list.tsx'),
    import('../../../src/console/pages/webhooks/webhook.tsx'),
  ])
  const project = (await troupe.owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
  const { id } = (await troupe.owner.get(`/api/v1/projects/${project.id}/environments`)).body.data.items[0]
  path = `/api/v1/projects/${project.id}/environments/${id}/webhooks`
  page = `/o/default/p/${project.id}/e/${id}/webhooks`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const click = (element: HTMLElement) => world.fireEvent.click(element)
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const button = (name: string | RegExp) => world.screen.findByRole('button', { name, hidden: true })
const confirm = async (name: string) => world.fireEvent.submit((await button(name)).closest('form')!)

const at = '2026-01-31T12:00:00.000Z'
const listOf = (items: object[]) => Response.json({ data: { items }, pagination: { limit: 20, hasMore: false } })

async function aWebhook() {
  const eventTypes = ['run.completed', 'run.failed']
  const body = { endpointUrl: 'http://127.0.0.1:1/hooks', eventTypes }
  return (await troupe.owner.post(path, body)).body.data as { id: string; secretVersion: number }
}

test('deliveries are recovered from an instant, and the recovery is listed with its counts', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, { troupe })
  click(await button('Recover deliveries'))
  type(world.screen.getByLabelText('Events since'), '2026-01-31T12:00')
  type(world.screen.getByLabelText('Recover'), 'missed')
  await confirm('Recover')
  const table = await world.screen.findByRole('table', { name: 'recoveries' })
  await world.waitFor(() => expect(table.querySelector('[data-state="completed"]')).not.toBeNull())
  const [made] = (await world.act(() => troupe.owner.get(`${path}/${id}/recoveries`))).body.data.items
  expect(made).toMatchObject({ since: new Date('2026-01-31T12:00').toISOString(), state: 'completed' })
})

test('a running recovery shows its progress, and is canceled', async () => {
  const { id } = await aWebhook()
  const running = {
    id: 'whr_01h455vb4pex5vsknk084sn02q',
    webhookId: id,
    state: 'running',
    since: at,
    progress: { retried: 1_200, made: 0, left: ['dead-letter', 'missed'] },
    error: null,
    createdAt: at,
    updatedAt: at,
    endedAt: null as string | null,
  }
  let recovery = running
  const asked: string[] = []
  await world.show(`${page}/${id}`, {
    troupe,
    between: (next) => async (url, init) => {
      if (!url.includes('/recoveries')) return next(url, init)
      if (init.method !== 'POST') return listOf([recovery])
      asked.push(new URL(url).pathname)
      recovery = { ...running, state: 'canceled', endedAt: at }
      return Response.json({ data: recovery })
    },
  })
  const region = await world.screen.findByRole('region', { name: 'Recovery' })
  expect(region.textContent).toContain('Recovering failed deliveries: 1,200 failed deliveries queued so far')
  click(await button('Cancel recovery'))
  await world.screen.findByText('Recovery canceled')
  await world.screen.findByText('1,200 failed deliveries queued.')
  expect(asked).toEqual([`${path}/${id}/recoveries/${running.id}/cancel`])
  expect(world.screen.queryByRole('region', { name: 'Recovery' })).toBeNull()
})

test('nothing is tried or recovered while a webhook is disabled', async () => {
  const { id } = await aWebhook()
  await troupe.owner.patch(`${path}/${id}`, { enabled: false })
  await world.show(`${page}/${id}`, { troupe })
  await button('Enable')
  for (const name of ['Send test event', 'Recover deliveries'])
    expect(world.screen.queryByRole('button', { name })).toBeNull()
})
