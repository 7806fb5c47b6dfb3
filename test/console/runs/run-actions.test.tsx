/** What a user does with a run in the console: answers, forks, cancels and starts of runs that were put off. */
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
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const submit = (element: HTMLElement) => world.fireEvent.submit(element.closest('form')!)

/** Records the requests that change something. */
function noting(sent: { url: string; headers: Headers; body: unknown }[]) {
  return (next: Fetch): Fetch =>
    (url, init) => {
      if (init.method === 'POST') sent.push({ url, headers: new Headers(init.headers), body: init.body })
      return next(url, init)
    }
}

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

test('facts and attempts that cannot be loaded do not stay “loading”', async () => {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  const between =
    (next: Fetch): Fetch =>
    async (url, init) =>
      /\/steps\b|summary/.test(url) ? new Response(null, { status: 403 }) : next(url, init)
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  for (const fact of ['Tokens', 'Model']) {
    const title = await world.screen.findByText(fact, { selector: 'dt' })
    await world.waitFor(() => expect(title.parentElement?.textContent).toBe(`${fact}–`))
  }
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Internals' }))
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Attempts' }))
  await world.within(await world.screen.findByRole('tabpanel', { name: 'Attempts' })).findByText('Access denied')
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

test.each([
  ['no runner is free', false, ': all are busy, or none is connected'],
  ['only an exclusive pool may take it', true, ' of an exclusive pool: no other takes runs of this organization'],
])('a run that waits in the queue says so, and that %s', async (_, exclusive, why) => {
  const run = await start(troupe.owner, '/say Hello.')
  await inState(troupe.owner, run.id, 'completed')
  const availableAt = new Date(Date.now() - 60_000).toISOString()
  const pool = { ...{ id: 'rpl_1', name: 'Own', scope: 'organization', organizationId: 'org_1' }, exclusive }
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (url.includes('/stream')) return new Response(null, { status: 204 })
      if (url.includes('/runner-pools')) return Response.json({ data: { items: [pool], nextCursor: null } })
      const answer = await next(url, init)
      if (!url.endsWith(`/agent-runs/${run.id}`)) return answer
      const { data } = (await answer.json()) as { data: object }
      return Response.json({ data: { ...data, state: 'queued', endedAt: null, availableAt } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  const line = await world.screen.findByText(/^Waiting for a runner/)
  await world.waitFor(() => expect(line.textContent).toBe(`Waiting for a runner${why}`))
  expect(line.querySelector('a')?.getAttribute('href')).toBe(exclusive ? '/o/default/settings/runners' : undefined)
  expect(world.screen.queryByText('Running')).toBeNull()
})
