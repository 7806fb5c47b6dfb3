/** Webhooks in the console: secrets that are shown once, deliveries with their attempts, what one can do about them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let path: string
let page: string
beforeAll(async () => {
  const environment = { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' }
  ;[troupe, world] = await Promise.all([openTroupe({ environment }), openConsole()])
  // pages are loaded when they are looked at first, which takes its time on a busy machine
  await Promise.all([
    import('../../src/console/pages/webhooks/list.tsx'),
    import('../../src/console/pages/webhooks/webhook.tsx'),
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

async function aWebhook() {
  const eventTypes = ['run.completed', 'run.failed']
  const body = { endpointUrl: 'http://127.0.0.1:1/hooks', eventTypes }
  return (await troupe.owner.post(path, body)).body.data as { id: string; secretVersion: number }
}

test('the signing secret is shown once, and is nowhere afterwards', async () => {
  const { container } = await world.show(page, { troupe })
  await world.screen.findByText('No webhooks yet')
  click((await world.screen.findAllByRole('button', { name: 'New webhook' }))[0]!)
  type(world.screen.getByLabelText('Endpoint'), 'http://127.0.0.1:1/hooks')
  click(world.screen.getByLabelText('deployment.ready'))
  await confirm('Create webhook')
  const secret = await world.screen.findByText(/^whsec_/)
  const { textContent } = secret
  const [created] = (await world.act(() => troupe.owner.get(path))).body.data.items
  expect(created.eventTypes.toSorted()).toEqual([
    'activation.changed',
    'deployment.ready',
    'run.completed',
    'run.failed',
  ])
  click(await button('I have stored it'))
  await world.screen.findByRole('heading', { name: 'Webhook' })
  expect(container.innerHTML).not.toContain(textContent!)
  expect(JSON.stringify({ ...localStorage })).not.toContain(textContent!)
})

test('what is wrong with an endpoint is said at its field', async () => {
  await world.show(page, { troupe })
  click(await button('New webhook'))
  const endpoint = world.screen.getByLabelText('Endpoint')
  type(endpoint, 'ftp://example.com')
  await confirm('Create webhook')
  await world.waitFor(() => expect(endpoint.getAttribute('aria-invalid')).toBe('true'))
})

test('a rotation is asked for, and shows the new secret once', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, { troupe })
  click(await button('Rotate secret'))
  await confirm('Rotate it')
  await world.screen.findByText('The signing secret, version 2')
  await world.screen.findByText(/^whsec_/)
})

test('a webhook is disabled, enabled again, changed and deleted', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, { troupe })
  click(await button('Disable'))
  await confirm('Disable it')
  click(await button('Enable it'))
  await world.screen.findByText('The webhook is enabled')
  click(await button('Change'))
  click(await world.screen.findByLabelText('run.failed'))
  await confirm('Save')
  await world.screen.findByText('The webhook is changed')
  expect((await world.act(() => troupe.owner.get(`${path}/${id}`))).body.data.eventTypes).toEqual(['run.completed'])
  click(await button('Delete'))
  await confirm('Delete it')
  await world.screen.findByRole('heading', { name: 'Webhooks' })
  expect((await world.act(() => troupe.owner.get(`${path}/${id}`))).status).toBe(404)
})

const at = '2026-01-31T12:00:00.000Z'
const attempt = { number: 1, status: 500, errorClass: 'http_status', durationMs: 120, at }
const refused = { number: 2, status: null, errorClass: 'connect_refused', durationMs: 2, at }

/** Answers deliveries of its own, and notes what is asked for. */
function withDeliveries(delivery: object, answer: () => Response = () => Response.json({})) {
  const asked: { method: string; url: string; headers: Headers }[] = []
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (!url.includes('/deliveries')) return next(url, init)
      const method = init.method ?? 'GET'
      if (method === 'GET') {
        const items = [{ ...dead, ...delivery }]
        return Response.json({ data: { items }, pagination: { limit: 20, hasMore: false } })
      }
      asked.push({ method, url, headers: new Headers(init.headers) })
      return answer()
    }
  return { asked, between }
}

const dead = {
  deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q',
  eventId: 'evt_01h455vb4pex5vsknk084sn02q',
  eventType: 'run.completed',
  state: 'dead-letter',
  attempts: 2,
  nextAttemptAt: null as string | null,
  replayOf: null,
  lastAttempt: refused,
  attemptHistory: [attempt, refused],
  createdAt: at,
  updatedAt: at,
  deliveredAt: null,
  expiresAt: at,
}

async function lookAt(delivery: object, answer?: () => Response) {
  const webhook = await aWebhook()
  const { asked, between } = withDeliveries({ webhookId: webhook.id, ...delivery }, answer)
  await world.show(`${page}/${webhook.id}`, { troupe, between })
  click(await button(/^Look at delivery/))
  return asked
}

test('a delivery is shown with its attempts, and a dead letter is retried', async () => {
  const asked = await lookAt({}, () => Response.json({ data: { ...dead, state: 'pending' } }))
  const attempts = await world.screen.findByRole('list', { name: 'Attempts', hidden: true })
  expect(attempts.textContent).toContain('500 http status')
  expect(attempts.textContent).toContain('connect refused')
  click(await button('Retry'))
  await world.screen.findByText('It is tried again')
  expect(asked.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)).toEqual(['POST retry'])
})

test('a retry that somebody else was faster with says how the delivery stands', async () => {
  const error = {
    code: 'invalid_transition',
    message: 'Not possible while delivered.',
    requestId: 'r',
    details: { currentState: 'delivered' },
  }
  await lookAt({}, () => Response.json({ error }, { status: 409 }))
  click(await button('Retry'))
  await world.screen.findByText(/It is delivered now/)
})

test('a replay carries a key of its own', async () => {
  const asked = await lookAt({ state: 'delivered' }, () => Response.json({ data: dead }))
  click(await button('Replay as a new delivery'))
  await world.screen.findByText('A new delivery of the same event is on its way')
  expect(asked[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/)
  expect(world.screen.queryByRole('button', { name: 'Retry', hidden: true })).toBeNull()
})

test('the next attempt is counted down', async () => {
  const nextAttemptAt = new Date(Date.now() + 3_600_000).toISOString()
  await lookAt({ state: 'retrying', nextAttemptAt })
  const attempts = await world.screen.findByRole('list', { name: 'Attempts', hidden: true })
  expect(attempts.textContent).toMatch(/The next one in (?:1 h 0 min|59 min 5\d s)/)
})

test('why the server has disabled a webhook is said', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, {
    troupe,
    between: (next) => async (url, init) => {
      if (!url.endsWith(`/webhooks/${id}`)) return next(url, init)
      const { data } = (await (await next(url, init)).json()) as { data: object }
      return Response.json({ data: { ...data, enabled: false, disabledReason: 'failing' } })
    },
  })
  await world.screen.findByText(/Every attempt has failed for 120 hours\./)
})
