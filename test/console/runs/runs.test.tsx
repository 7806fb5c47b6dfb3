/** Runs in the console, against a real server: lists, conversations, and actions on a run. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const hostile = '<img src=x onerror="document.title=1"> <b>bold</b>'
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const submit = (element: HTMLElement) => world.fireEvent.submit(element.closest('form')!)

/** Waits until the page shows the run in this state. */
const shownState = (state: string) =>
  world.waitFor(() => expect(document.querySelector(`[data-state="${state}"]`)).not.toBeNull())

/** Records the requests that change something. */
function noting(sent: { url: string; headers: Headers; body: unknown }[]) {
  return (next: Fetch): Fetch =>
    (url, init) => {
      if (init.method === 'POST') sent.push({ url, headers: new Headers(init.headers), body: init.body })
      return next(url, init)
    }
}

/** Answers requests to a path in place of the server. */
const answering =
  (path: RegExp, status: number, error: object) =>
  (next: Fetch): Fetch =>
  (url, init) =>
    path.test(url)
      ? Promise.resolve(Response.json({ error: { requestId: 'req_1', ...error } }, { status }))
      : next(url, init)

test('an empty list explains runs and how to start one', async () => {
  await world.show('/o/default/runs', { troupe })
  await world.screen.findByText('No runs yet')
  const link = world.screen.getByRole('link', { name: 'Start the first one' })
  expect(link.getAttribute('href')).toBe('/o/default/playground')
})

test('without permission, the list of runs names it', async () => {
  const error = { code: 'permission_denied', message: 'No.', details: { permission: 'agent-runs:list' } }
  await world.show('/o/default/runs', { troupe, between: answering(/\/agent-runs\?/, 403, error) })
  await world.screen.findByText('You need the permission agent-runs:list.')
})

test('a prompt in the playground starts one run, however often it is sent, and the answer is rendered as text', async () => {
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const { container } = await world.show('/o/default/playground', { troupe, between: noting(sent) })
  const question = await world.screen.findByLabelText('Prompt')
  type(question, `/say ${hostile}`)
  submit(question)
  submit(question)
  await world.waitFor(() => expect(world.screen.getAllByRole('article', { name: 'Answer' })).toHaveLength(1))
  await world.screen.findByText(hostile)
  expect(container.querySelector('.conversation img')).toBeNull()
  const starts = sent.filter(({ url }) => url.endsWith('/agent-runs'))
  expect(starts).toHaveLength(1)
  expect(starts[0]?.headers.get('idempotency-key')).toMatch(/^console-[0-9a-f]{32}$/)
})

test('the list is narrowed by filters in the address', async () => {
  const run = await start(troupe.owner, '/fail Nobody is there.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show('/o/default/runs?states=failed', { troupe })
  const link = await world.screen.findByRole('link', { name: '/fail Nobody is there.' })
  expect(link.getAttribute('href')).toBe(`/o/default/runs/${run.id}`)
  expect(world.screen.getByRole('button', { name: /^failed/ }).getAttribute('aria-pressed')).toBe('true')
  world.fireEvent.click(world.screen.getByRole('button', { name: /^failed/ }))
  world.fireEvent.click(world.screen.getByRole('button', { name: /^expired/ }))
  await world.screen.findByText('No matching runs')
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Show all runs' }))
  await world.screen.findAllByRole('link', { name: '/fail Nobody is there.' })
})

test('the list names the API key that started a run, and only says that it was one without permission', async () => {
  const { body } = await troupe.owner.get('/api/v1/api-keys')
  const name = body.data.items[0].name
  await start(troupe.owner, '/say By a key.')
  const { unmount } = await world.show('/o/default/runs', { troupe })
  await world.screen.findAllByText(`by key ${name}`)
  unmount()
  const error = { code: 'permission_denied', message: 'No.', details: { permission: 'api-keys:read' } }
  await world.show('/o/default/runs', { troupe, between: answering(/\/api-keys\//, 403, error) })
  await world.screen.findAllByText('by an API key')
})

test('the list names the Agent of a run, however many there are', async () => {
  const agentId = 'agt_system_assistant'
  await start(troupe.owner, '/say Who am I?')
  // each page has one Agent, and the one of the run is on the second
  const paged =
    (next: Fetch): Fetch =>
    (url, init) => {
      if (!url.includes('/system-agents?')) return next(url, init)
      const isFirst = !url.includes('cursor=')
      const items = [isFirst ? { id: 'agt_system_other', name: 'Other' } : { id: agentId, name: 'On the second page' }]
      const pagination = isFirst ? { hasMore: true, nextCursor: 'second' } : { hasMore: false }
      return Promise.resolve(Response.json({ data: { items }, pagination }))
    }
  await world.show('/o/default/runs', { troupe, between: paged })
  await world.screen.findAllByText(/^On the second page · /)
})

test('an order that the filters do not allow applies once they are removed', async () => {
  const run = await start(troupe.owner, '/fail Nobody is there.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show('/o/default/runs?states=failed&within=24h&sort=updatedAt', { troupe })
  await world.screen.findAllByRole('link', { name: '/fail Nobody is there.' })
  const order = world.screen.getByLabelText<HTMLSelectElement>('Order')
  const isDisabled = () => world.screen.getByRole<HTMLOptionElement>('option', { name: 'Latest change first' }).disabled
  expect([order.value, isDisabled()]).toEqual(['createdAt desc', true])
  world.fireEvent.change(world.screen.getByLabelText('Created'), { target: { value: '' } })
  await world.waitFor(() => expect([order.value, isDisabled()]).toEqual(['updatedAt desc', false]))
  await world.screen.findAllByRole('link', { name: '/fail Nobody is there.' })
})

test('states, who started a run and the order of changes go together', async () => {
  const run = await start(troupe.owner, '/fail Nobody is here.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show('/o/default/runs?states=failed&sort=updatedAt', { troupe })
  await world.screen.findAllByRole('link', { name: '/fail Nobody is here.' })
  const you = world.screen.getByRole<HTMLOptionElement>('option', { name: 'You' })
  expect(you.disabled).toBe(false)
  world.fireEvent.change(world.screen.getByLabelText('Started by'), { target: { value: you.value } })
  await world.screen.findByText('No matching runs')
  expect(world.screen.getByLabelText<HTMLSelectElement>('Order').value).toBe('updatedAt desc')
})

test('a failed run shows its error, and continues with a message', async () => {
  const run = await start(troupe.owner, '/say One.\n/fail The shop is closed.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show(`/o/default/runs/${run.id}`, { troupe })
  await world.screen.findByRole('heading', { name: 'Assistant' })
  await world.screen.findAllByText('The shop is closed.', { exact: false })
  expect(world.screen.getByRole('link', { name: 'Replay' }).getAttribute('href')).toBe(
    `/o/default/statecharts/run/${run.id}`,
  )
  world.fireEvent.click(world.screen.getByRole('link', { name: 'Show log' }))
  await world.screen.findByRole('tab', { name: 'Logs', selected: true })
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Answer' }))
  const message = (await world.screen.findByLabelText('Next message')) as HTMLTextAreaElement
  await world.waitFor(() => expect(message.disabled).toBe(false))
  type(message, '/say Two.')
  submit(message)
  await world.screen.findByText('Two.')
  await shownState('completed')
})

test('the log of a run is shown line by line, without content', async () => {
  const run = await start(troupe.owner, '/say Aloud.\n/fail The shop is closed.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show(`/o/default/runs/${run.id}`, { troupe })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Logs' }))
  const list = await world.screen.findByRole('list', { name: 'Log' })
  await world.waitFor(() => expect(list.textContent).toContain('→ failed'))
  const lines = [...list.querySelectorAll('li')]
  expect(lines[0]?.textContent).toContain('server #0 start: new → queued')
  expect(lines.at(-1)?.className).toBe('run-log-error')
  expect(lines.at(-1)?.textContent).toContain('The shop is closed.')
  expect(list.textContent).not.toContain('Aloud')
  const { items } = (await troupe.owner.get(`/api/v1/agent-runs/${run.id}/logs`, { query: { limit: 100 } })).body.data
  expect(lines).toHaveLength(items.length)
})

test('a run is canceled with a key that the console creates', async () => {
  sessionStorage.clear()
  const run = await start(troupe.owner, '/sleep 60000')
  await inState(troupe.owner, run.id, 'running')
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: noting(sent) })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Cancel run' }))
  world.screen.getByText(/The API cancels runs for API keys only/)
  submit(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await shownState('canceled')
  const made = sent.find(({ url }) => url.endsWith('/api-keys'))
  expect(JSON.parse(String(made?.body))).toMatchObject({ operations: ['agent-runs:cancel'] })
  expect(sent.find(({ url }) => url.endsWith('/cancel'))?.headers.get('authorization')).toStartWith('Bearer trp_')
})

test('the key is announced once in a session, with where it is listed', async () => {
  sessionStorage.clear()
  const [one, other] = [await start(troupe.owner, '/sleep 60000'), await start(troupe.owner, '/sleep 60000')]
  const { unmount } = await world.show(`/o/default/runs/${one.id}`, { troupe })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Cancel run' }))
  const link = world.screen.getByRole('link', { name: 'Settings → API keys' })
  expect(link.getAttribute('href')).toBe('/o/default/settings/keys')
  submit(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await shownState('canceled')
  unmount()
  await world.show(`/o/default/runs/${other.id}`, { troupe })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Cancel run' }))
  expect(world.screen.queryByText(/The API cancels runs/)).toBeNull()
  submit(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await shownState('canceled')
})

test('a user who may not create keys cancels with their own key', async () => {
  const run = await start(troupe.owner, '/sleep 60000')
  await inState(troupe.owner, run.id, 'running')
  const error = { code: 'permission_denied', message: 'No.', details: { permission: 'api-keys:create' } }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: answering(/\/api-keys$/, 403, error) })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Cancel run' }))
  submit(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await world.screen.findByText(/you need api-keys:create/)
  const key = world.screen.getByLabelText('API key')
  type(key, troupe.key)
  submit(key)
  await shownState('canceled')
})

test('the steps of a run are listed, with input and output', async () => {
  const run = await start(troupe.owner, '/call calculator {"expression": "6*7"}\n/say So it is 42.')
  await inState(troupe.owner, run.id, 'completed')
  await world.show(`/o/default/runs/${run.id}`, { troupe })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Steps' }))
  await world.screen.findByRole('listbox', { name: '4 steps' })
  world.fireEvent.click(world.screen.getByRole('option', { name: /^tool calculator ?, completed/ }))
  const details = world.screen.getByRole('complementary', { name: 'Step' })
  expect(details.textContent).toContain('6*7')
  expect(details.textContent).toContain('42')
})

test('a conflict shows the new state of a run that another tab has changed', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const error = {
    code: 'invalid_transition',
    message: 'Not possible while running.',
    details: { currentState: 'running' },
  }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: answering(/\/continue$/, 409, error) })
  const message = (await world.screen.findByLabelText('Next message')) as HTMLTextAreaElement
  await world.waitFor(() => expect(message.disabled).toBe(false))
  type(message, 'And?')
  submit(message)
  await world.screen.findByText('Conflict')
  expect(message.value).toBe('And?')
})

test('a run whose content was removed says since when', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const aged =
    (next: Fetch): Fetch =>
    async (url, init) => {
      const response = await next(url, init)
      if (!url.endsWith(`/agent-runs/${run.id}`)) return response
      const { data, ...rest } = await response.json()
      const contentRetention = { ...data.contentRetention, removedAt: '2026-03-02T12:00:00.000Z' }
      return Response.json({ ...rest, data: { ...data, contentRetention } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: aged })
  await world.screen.findByText('Content was removed on', { exact: false })
  await world.screen.findByText('The content of this run was removed.')
  expect(document.querySelector('time[datetime="2026-03-02T12:00:00.000Z"]')).not.toBeNull()
  expect(world.screen.queryByLabelText('Next message')).toBeNull()
})

test('a missing run is reported', async () => {
  await world.show(`/o/default/runs/run_01h455vb4pex5vsknk084sn02q`, { troupe })
  await world.screen.findByText('Not found')
})

test('a run with a lost stream stays on screen, and shows that it resumes', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const error = { code: 'service_unavailable', message: 'Not now.' }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: answering(/\/stream/, 503, error) })
  await world.screen.findByText('Connection lost, resuming')
  await world.screen.findByText('One.')
})

test('without permission for steps the run is shown, with the missing permission', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const error = { code: 'permission_denied', message: 'No.', details: { permission: 'agent-runs:steps:list' } }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: answering(/\/steps\?/, 403, error) })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Steps' }))
  await world.screen.findByText('You need the permission agent-runs:steps:list.')
  await shownState('completed')
})
