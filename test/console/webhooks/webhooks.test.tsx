/** Webhooks in the console: secrets that are shown once, deliveries with their attempts, what one can do about them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
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

async function aWebhook() {
  const eventTypes = ['run.completed', 'run.failed']
  const body = { endpointUrl: 'http://127.0.0.1:1/hooks', eventTypes }
  return (await troupe.owner.post(path, body)).body.data as { id: string; secretVersion: number }
}

test('a link opens the form of a new webhook, and a reload keeps it open', async () => {
  await world.show(`${page}?open=new`, { troupe })
  await world.screen.findByLabelText('Endpoint URL')
})

test('the signing secret is shown once, and is nowhere afterwards', async () => {
  const { container } = await world.show(page, { troupe })
  await world.screen.findByText('No webhooks yet')
  click((await world.screen.findAllByRole('button', { name: 'New webhook' }))[0]!)
  type(world.screen.getByLabelText('Endpoint URL'), 'http://127.0.0.1:1/hooks')
  click(await world.screen.findByLabelText('deployment.ready'))
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

test('issues of an endpoint are shown at its field', async () => {
  await world.show(page, { troupe })
  click(await button('New webhook'))
  const endpoint = world.screen.getByLabelText('Endpoint URL')
  type(endpoint, 'ftp://example.com')
  await confirm('Create webhook')
  await world.waitFor(() => expect(endpoint.getAttribute('aria-invalid')).toBe('true'))
})

test('a rotation is asked for, and shows the new secret once', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, { troupe })
  click(await button('Rotate'))
  await confirm('Rotate secret')
  await world.screen.findByText('Signing secret, version 2')
  await world.screen.findByText(/^whsec_/)
})

test('a webhook is disabled, enabled again, changed and deleted', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, { troupe })
  click(await button('Disable'))
  await confirm('Disable webhook')
  click(await button('Enable'))
  await world.screen.findByText('Webhook enabled')
  click(await button('Edit'))
  click(await world.screen.findByLabelText('run.failed'))
  await confirm('Save')
  await world.screen.findByText('Webhook updated')
  expect((await world.act(() => troupe.owner.get(`${path}/${id}`))).body.data.eventTypes).toEqual(['run.completed'])
  click(await button('Delete'))
  await confirm('Delete webhook')
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
      const one = { ...dead, ...delivery }
      if (method === 'GET') {
        return url.includes('/deliveries/') ? Response.json({ data: one }) : listOf([one])
      }
      asked.push({ method, url, headers: new Headers(init.headers) })
      return answer()
    }
  return { asked, between }
}

const listOf = (items: object[]) => Response.json({ data: { items }, pagination: { limit: 20, hasMore: false } })

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
  click(await world.screen.findByRole('link', { name: 'run.completed' }))
  return asked
}

test('a delivery is shown with its attempts, and a dead letter is retried', async () => {
  const asked = await lookAt({}, () => Response.json({ data: { ...dead, state: 'pending' } }))
  const attempts = await world.screen.findByRole('list', { name: 'Attempts', hidden: true })
  expect(attempts.textContent).toContain('500')
  expect(attempts.textContent).toContain('connect refused')
  const retry = await button('Retry')
  // responses are long, and the bottom of the dialog is out of sight
  expect(retry.compareDocumentPosition(attempts)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  click(retry)
  await world.screen.findByText('Delivery queued')
  expect(asked.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)).toEqual(['POST retry'])
})

test('a conflicting retry shows the current state of the delivery', async () => {
  const error = {
    code: 'invalid_transition',
    message: 'Not possible while delivered.',
    requestId: 'r',
    details: { currentState: 'delivered' },
  }
  await lookAt({}, () => Response.json({ error }, { status: 409 }))
  click(await button('Retry'))
  await world.screen.findByText(/It is now delivered/)
})

test('a replay carries a key of its own', async () => {
  const asked = await lookAt({ state: 'delivered' }, () => Response.json({ data: dead }))
  click(await button('Replay as a new delivery'))
  await world.screen.findByText('New delivery queued')
  expect(asked[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/)
  expect(world.screen.queryByRole('button', { name: 'Retry', hidden: true })).toBeNull()
})

test('the next attempt is counted down', async () => {
  const nextAttemptAt = new Date(Date.now() + 3_600_000).toISOString()
  await lookAt({ state: 'retrying', nextAttemptAt })
  const attempts = await world.screen.findByRole('list', { name: 'Attempts', hidden: true })
  expect(attempts.textContent).toMatch(/Next attempt in (?:1 h 0 min|59 min 5\d s)/)
})

test('a webhook shows why the server disabled it', async () => {
  const { id } = await aWebhook()
  await world.show(`${page}/${id}`, {
    troupe,
    between: (next) => async (url, init) => {
      if (!url.endsWith(`/webhooks/${id}`)) return next(url, init)
      const { data } = (await (await next(url, init)).json()) as { data: object }
      return Response.json({ data: { ...data, enabled: false, disabledReason: 'failing' } })
    },
  })
  await world.screen.findByText(/All attempts failed for 120 hours\./)
})

test("event types of a webhook are chosen from the server's list, with descriptions", async () => {
  await world.show(page, { troupe })
  click(await button('New webhook'))
  const kind = await world.screen.findByRole('checkbox', { name: 'job.missed', hidden: true })
  expect(document.getElementById(kind.getAttribute('aria-describedby')!)?.textContent).toBe(
    'Ticks of a job were missed because the server was down.',
  )
  expect(world.screen.queryByLabelText('webhook.test')).toBeNull()
  type(world.screen.getByLabelText('Search events'), 'minutes of the billing period')
  const left = world.screen.getAllByRole('checkbox', { name: /\./, hidden: true })
  expect(left.map((each) => each.getAttribute('aria-label'))).toEqual(['budget.warning', 'budget.exhausted'])
})

test('captured responses of failed attempts are shown', async () => {
  const captured = [attempt, { ...attempt, number: 2, response: 'Out of <b>stock</b>' }]
  const { id } = await aWebhook()
  const { between } = withDeliveries({ webhookId: id, attemptHistory: captured, lastAttempt: captured[1] })
  await world.show(`${page}/${id}`, { troupe, between })
  await world.screen.findByText('not captured')
  click(await button('Edit'))
  click(world.screen.getByLabelText('Capture failed responses'))
  await confirm('Save')
  await world.screen.findByText('captured')
  expect((await world.act(() => troupe.owner.get(`${path}/${id}`))).body.data.captureResponses).toBe(true)
  click(await world.screen.findByRole('link', { name: 'run.completed' }))
  const response = await world.screen.findByRole('region', { name: 'response to attempt 2', hidden: true })
  expect(response.textContent).toBe('Out of <b>stock</b>')
  expect(world.screen.queryByRole('region', { name: 'response to attempt 1', hidden: true })).toBeNull()
})

test('filters of deliveries are kept in the address, and asked of the server', async () => {
  const { id } = await aWebhook()
  const asked: string[] = []
  const since = '2026-01-31T12:00:00.000Z'
  const address = `${page}/${id}?state=dead-letter&event=run.completed&since=${since}&until=nonsense`
  const { path: where } = await world.show(address, {
    troupe,
    between: (next) => (url, init) => {
      if (url.includes('/deliveries?')) asked.push(new URL(url).search)
      return next(url, init)
    },
  })
  await world.screen.findByText('No deliveries match')
  const first = new URLSearchParams(asked[0])
  expect(Object.fromEntries(first)).toEqual({ limit: '20', state: 'dead-letter', eventType: 'run.completed', since })
  type(world.screen.getByLabelText('State'), 'retrying')
  await world.waitFor(() => expect(asked.at(-1)).toContain('state=retrying'))
  expect(where()).toContain('state=retrying')
  type(world.screen.getByLabelText('Created before'), '2026-02-28T12:00')
  await world.waitFor(() =>
    expect(asked.at(-1)).toContain(`until=${encodeURIComponent(new Date('2026-02-28T12:00').toISOString())}`),
  )
  click(world.screen.getByRole('button', { name: 'Clear filters' }))
  await world.screen.findByText('No deliveries yet')
  expect(where()).not.toContain('state=')
})

test('a test event is sent, and its delivery opens at an address of its own', async () => {
  const { id } = await aWebhook()
  const { path: where } = await world.show(`${page}/${id}`, { troupe })
  click(await button('Send test event'))
  const dialog = await world.screen.findByRole('dialog', { name: 'Delivery', hidden: true })
  await world.waitFor(() => expect(dialog.textContent).toContain('webhook.test'))
  expect(where()).toMatch(/\?delivery=dlv_\w+$/)
})
