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

test('an order that the filters do not allow applies once they are removed', async () => {
  const run = await start(troupe.owner, '/fail Nobody is there.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show('/o/default/runs?states=failed&sort=updatedAt', { troupe })
  await world.screen.findAllByRole('link', { name: '/fail Nobody is there.' })
  const order = world.screen.getByLabelText<HTMLSelectElement>('Order')
  const isDisabled = () => world.screen.getByRole<HTMLOptionElement>('option', { name: 'Latest change first' }).disabled
  expect([order.value, isDisabled()]).toEqual(['createdAt desc', true])
  expect(world.screen.getByRole<HTMLOptionElement>('option', { name: 'You' }).disabled).toBe(true)
  world.fireEvent.click(world.screen.getByRole('button', { name: /^failed/ }))
  await world.waitFor(() => expect([order.value, isDisabled()]).toEqual(['updatedAt desc', false]))
  await world.screen.findAllByRole('link', { name: '/fail Nobody is there.' })
})

test('a failed run shows its error, and continues with a message', async () => {
  const run = await start(troupe.owner, '/say One.\n/fail The shop is closed.')
  await inState(troupe.owner, run.id, 'failed')
  await world.show(`/o/default/runs/${run.id}`, { troupe })
  await world.screen.findByRole('heading', { name: 'Assistant' })
  await world.screen.findAllByText('The shop is closed.', { exact: false })
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

test('an interactive tool call is answered as text or JSON', async () => {
  const asking = { question: 'Which order?' }
  const awaited = { kind: 'tool', toolName: 'ask_customer', toolCallId: 'call_1', input: asking }
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const waiting =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (!url.endsWith(`/agent-runs/${run.id}`)) return noting(sent)(next)(url, init)
      const { data } = (await (await next(url, init)).json()) as { data: object }
      const awaiting = { ...awaited, pending: [awaited] }
      return Response.json({ data: { ...data, state: 'awaitingToolResult', endedAt: null, awaiting } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: waiting })
  await world.screen.findByText('Which order?')
  const answer = world.screen.getByLabelText('Answer to ask_customer')
  world.fireEvent.click(world.screen.getByLabelText('Send as JSON'))
  type(answer, '{"order":')
  submit(answer)
  await world.screen.findByText(/ask_customer: This is not JSON/)
  type(answer, '{"order": 17}')
  submit(answer)
  await world.waitFor(() => expect(sent.some(({ url }) => url.endsWith('/continue'))).toBe(true))
  const { query } = JSON.parse(String(sent.find(({ url }) => url.endsWith('/continue'))?.body))
  const button = world.screen.getByRole('button', { name: 'Send answer' })
  await world.waitFor(() => expect(button.getAttribute('aria-busy')).toBeNull())
  expect(JSON.parse(query)).toEqual({ toolResults: [{ toolCallId: 'call_1', result: { order: 17 } }] })
})

/** The record of a run, with changes. */
const recorded =
  (id: string, changes: object) =>
  (next: Fetch): Fetch =>
  async (url, init) => {
    if (!url.endsWith(`/agent-runs/${id}`)) return next(url, init)
    const { data } = (await (await next(url, init)).json()) as { data: object }
    return Response.json({ data: { ...data, endedAt: null, ...changes } })
  }
const call = { toolName: 'orders.refund', toolCallId: 'call_1', input: { amount: 12 } }
const operation = { ...call, invocationId: 'opi_01h455vb4pex5vsknk084sn02q' }

test.each([
  ['tool', call, 'waiting for an answer', 'an answer'],
  ['delegate', call, 'waiting for the result of an external delegate', 'an external result'],
  ['agentRun', operation, 'waiting for the run of another Agent', 'another Agent'],
  ['worker', operation, 'waiting for a worker', 'a worker'],
  ['approval', { ...operation, approvalId: 'apr_01h455vb4pex5vsknk084sn02q' }, 'waiting for approval', 'approval'],
  ['connection', call, 'waiting for an account to be connected', 'a connected account'],
])('a run shows that it waits for a call of kind %s', async (kind, call, title, fact) => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const awaited = { ...call, kind }
  const awaiting = { ...awaited, pending: [awaited] }
  const between = recorded(run.id, { state: 'awaitingToolResult', awaiting })
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  const region = await world.screen.findByRole('region', { name: 'Waiting for' })
  expect(region.querySelector('p')?.textContent?.trim()).toBe(`orders.refund ${title}`)
  expect((await world.screen.findByText('Waiting for')).parentElement?.textContent).toBe(`Waiting for${fact}`)
})

test('a run shows its next attempt while that is in the future', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const record = (ms: number) =>
    recorded(run.id, { state: 'queued', availableAt: new Date(Date.now() + ms).toISOString() })
  const { unmount } = await world.show(`/o/default/runs/${run.id}`, { troupe, between: record(7_200_000) })
  const next = await world.screen.findByText('Next attempt')
  expect(next.parentElement?.textContent).toMatch(/^Next attemptin (?:2 h 0 min|1 h 59 min)$/)
  unmount()
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: record(-1) })
  await world.screen.findByText('Attempts', { selector: 'dt' })
  expect(world.screen.queryByText('Next attempt')).toBeNull()
})

test('the input is the first checkpoint, and is shown before any step is done', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const none = { data: { items: [] }, pagination: { limit: 100, hasMore: false, totalCount: 0 } }
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (url.includes('/steps?')) return Response.json(none)
      if (url.includes('/stream')) return new Response(null, { status: 204 })
      if (!url.endsWith('/checkpoints/latest')) return next(url, init)
      const { body } = await troupe.owner.get(`/api/v1/agent-runs/${run.id}/checkpoints/latest`)
      const checkpoint = { ...body.data.checkpoint, agentStepId: null, checkpointId: 0, sequence: 0, kind: 'input' }
      const messages = body.data.runtimeCheckpoint.messages.slice(0, 1)
      const runtimeCheckpoint = { ...body.data.runtimeCheckpoint, messages }
      return Response.json({ data: { ...body.data, checkpoint, runtimeCheckpoint, stepPayload: null } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  await world.screen.findByText('/say One.')
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Internals' }))
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Checkpoints' }))
  const table = await world.screen.findByRole('table', { name: 'checkpoints' })
  const last = [...table.querySelectorAll('tbody tr')].at(-1)
  expect([...last!.querySelectorAll('td')].slice(0, 3).map((cell) => cell.textContent)).toEqual([
    'Input',
    'At the start',
    '–',
  ])
  await world.screen.findByText(/^Input: 1 message, /)
})

test('a run is forked at a checkpoint with a message, and the fork opens', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: noting(sent) })
  await world.screen.findByRole('button', { name: 'Fork' })
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Internals' }))
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Checkpoints' }))
  const table = await world.screen.findByRole('table', { name: 'checkpoints' })
  const [atTheEnd] = table.querySelectorAll('tbody button')
  world.fireEvent.click(atTheEnd as HTMLElement)
  type(await world.screen.findByLabelText('Message'), '/say Two.')
  submit(world.screen.getByLabelText('Message'))
  world.fireEvent.click(await world.screen.findByRole('link', { name: `…${run.id.slice(-6)}` }))
  const forks = world.within(await world.screen.findByRole('region', { name: 'Forks' }))
  expect(forks.getAllByRole('link')).toHaveLength(1)
  const { url, body, headers } = sent.at(-1)!
  expect(url).toContain(`/agent-runs/${run.id}/fork`)
  expect(JSON.parse(body as string)).toEqual({ checkpointId: expect.any(Number), query: '/say Two.' })
  expect(headers.get('idempotency-key')).toBeTruthy()
})

test('a cancel of a run that is being canceled is forced', async () => {
  const run = await start(troupe.owner, '/sleep 600000')
  await inState(troupe.owner, run.id, 'running')
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (url.includes('/stream')) return new Response(null, { status: 204 })
      const answer = await noting(sent)(next)(url, init)
      if (!url.endsWith(`/agent-runs/${run.id}`)) return answer
      const { data } = (await answer.json()) as { data: object }
      return Response.json({ data: { ...data, state: 'canceling' } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Force cancel' }))
  await world.screen.findByText('Cancel this run at once?')
  submit(world.screen.getAllByRole('button', { name: 'Force cancel' }).at(-1)!)
  await inState(troupe.owner, run.id, 'canceled')
  expect(sent.at(-1)?.url).toContain('/cancel?force=true')
})

test('a run is started later, says when, and can be canceled before', async () => {
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const { navigate, path } = await world.show('/o/default/playground', { troupe, between: noting(sent) })
  const question = await world.screen.findByLabelText('Prompt')
  type(question, '/say Tomorrow.')
  const later = new Date(Date.now() + 31 * 86_400_000)
  // in the form of the field, in the time zone of the test
  const written = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  type(world.screen.getByLabelText('Start later'), written(later))
  submit(question)
  const refusal = await world.screen.findByRole('alert')
  expect(refusal.textContent).toMatch(/^startAt Must be at most 30 days ahead/)
  later.setTime(Date.now() + 2 * 86_400_000)
  type(world.screen.getByLabelText('Start later'), written(later))
  await world.screen.findByRole('button', { name: 'Start later' })
  submit(question)
  await world.screen.findByText(/^Starts at/)
  expect(JSON.parse(sent.at(-1)!.body as string).startAt).toBe(new Date(written(later)).toISOString())
  await world.screen.findByText('The run has not started. You can continue when it has answered.')
  const runId = new URLSearchParams(path().split('?')[1]).get('run') as string
  navigate(`/o/default/runs/${runId}`)
  const starts = await world.screen.findByText('Starts', { selector: 'dt' })
  expect(starts.parentElement!.textContent).toMatch(/^Startsin (?:47 h 5\d min|2 d 0 h)$/)
  expect(world.screen.queryByText('Running')).toBeNull()
  navigate('/o/default/runs?states=queued')
  const row = (await world.screen.findByRole('link', { name: '/say Tomorrow.' })).closest('.run-row')
  expect(row!.textContent).toContain('starts in')
  navigate(`/o/default/runs/${runId}`)
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Cancel run' }))
  submit(await world.screen.findByRole('button', { name: 'Cancel the run' }))
  await inState(troupe.owner, runId, 'canceled')
})

test('a run that was put off starts now', async () => {
  const startAt = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await troupe.owner.post('/api/v1/agent-runs', {
    agentId: 'agt_system_assistant',
    query: '/say Early.',
    startAt,
  })
  await world.show(`/o/default/runs/${body.data.id}`, { troupe })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Start now' }))
  await inState(troupe.owner, body.data.id, 'completed')
  await world.waitFor(() => expect(world.screen.queryByRole('button', { name: 'Start now' })).toBeNull())
})

test('the time in the queue of a run that was put off counts from its start', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const { body } = await troupe.owner.get(`/api/v1/agent-runs/${run.id}`)
  const at = (ms: number) => new Date(Date.parse(body.data.startedAt) + ms).toISOString()
  const putOff = { createdAt: at(-7_200_000), startAt: at(-3_000) }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between: recorded(run.id, putOff) })
  const queued = await world.screen.findByText('Queued', { selector: 'dt' })
  expect(queued.parentElement!.textContent).toBe('Queued3.0 s')
  await world.screen.findByText('Put off until')
})

test('a run is forked after one of its steps, with another model, and compared', async () => {
  const run = await start(troupe.owner, '/call calculator {"expression": "6*7"}\n/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const { body } = await troupe.owner.get(`/api/v1/agent-runs/${run.id}/steps`, { query: { depth: 0 } })
  const call = body.data.items.find((step: { kind: string }) => step.kind === 'tool')
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const at = `/o/default/runs/${run.id}?tab=steps&step=${call.agentStepId}`
  const { path } = await world.show(at, { troupe, between: noting(sent) })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Fork after this step' }))
  await world.screen.findByText(/It goes on from this checkpoint\./)
  type(world.screen.getByLabelText('Model'), 'sandbox')
  world.fireEvent.click(world.screen.getByLabelText('Compare it with this run'))
  submit(world.screen.getByLabelText('Model'))
  await world.screen.findByRole('heading', { name: 'Compare runs' })
  expect(JSON.parse(sent.at(-1)!.body as string)).toEqual({ checkpointId: call.lastCheckpointId, model: 'sandbox' })
  expect(path()).toContain(run.id)
})
