/** Workflows, approvals, invocations, jobs and entities in the console, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openWorld, type Served, type World } from '../../automation/workflows/world.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

const hostile = '<img src=x onerror=alert(1)>'

let server: World
let world: ConsoleWorld
let served: Served
/** The Environment, in the console. */
let at: string
beforeAll(async () => {
  ;[server, world] = await Promise.all([openWorld({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  const loading = Promise.all([
    import('../../../src/console/pages/workflows/list.tsx'),
    import('../../../src/console/pages/workflows/workflow.tsx'),
    import('../../../src/console/pages/workflows/graph.tsx'),
    import('../../../src/console/pages/operations/approvals/page.tsx'),
    import('../../../src/console/pages/operations/invocations.tsx'),
    import('../../../src/console/pages/operations/workers.tsx'),
    import('../../../src/console/pages/runs/playground/playground.tsx'),
    import('../../../src/console/pages/agent-jobs/list.tsx'),
    import('../../../src/console/pages/agent-jobs/schedule-preview.tsx'),
    import('../../../src/console/pages/entities/list.tsx'),
    import('../../../src/console/pages/entities/entity.tsx'),
  ])
  server.shop.answer = ({ path }) => (path.includes('/charge/') ? new Promise(() => {}) : Response.json({ ok: true }))
  served = await server.serving({
    ask: {
      params: { type: 'object', properties: { note: { type: 'string', examples: ['Hello'] } }, required: ['note'] },
      steps: [{ id: 'agree', operation: 'shop.approved', input: { note: '{{params.note}}' } }],
    },
    charge: { params: {}, steps: [{ id: 'pay', operation: 'shop.charge', input: { what: 'a' } }] },
  })
  at = `/o/default/p/${served.place.projectId}/e/${served.place.environmentId}`
  await loading
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await server?.stop()
})

const show = (page: string, between?: (next: Fetch) => Fetch) =>
  world.show(`${at}/${page}`, { troupe: server, ...(between && { between }) })

/** Answers of the test where the path matches; the server answers everything else. */
const answering =
  (path: RegExp, status: number, body: object): ((next: Fetch) => Fetch) =>
  (next) =>
  (url, init) =>
    path.test(new URL(url).pathname) ? Promise.resolve(Response.json(body, { status })) : next(url, init)

const forbidden = (path: RegExp, permission: string) =>
  answering(path, 403, {
    error: { code: 'permission_denied', message: 'No.', requestId: 'req_1', details: { permission } },
  })
/** Without drawings: their layout needs a worker. */
const noDefinition = forbidden(/\/definitions\/.*\/revisions\//, 'definitions:get')

const button = (name: string) => world.screen.findByRole('button', { name })
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const submit = (element: HTMLElement) => world.fireEvent.submit(element.closest('form')!)

test.each([
  ['workflows', 'No workflow runs yet'],
  ['approvals', 'No pending approvals'],
  ['invocations', 'No invocations yet'],
  ['workers', 'No workers'],
  ['jobs', 'No jobs yet'],
  ['entities', 'No entity types'],
])('%s: an empty list says what it will contain', async (page, words) => {
  await show(page)
  await world.screen.findByText(words)
})

test('what needs a Definition first leads to them', async () => {
  const { projectId, environmentId } = served.place
  const definitions = async () =>
    (await world.screen.findByText('Go to Definitions')).closest('a')?.getAttribute('href')
  await show('entities')
  expect(await definitions()).toBe(`/o/default/p/${projectId}/definitions`)
  world.cleanup()
  const { items } = (await server.owner.get(`/api/v1/projects/${projectId}/environments`)).body.data
  const empty = items.find(({ id }: { id: string }) => id !== environmentId)
  await world.show(`/o/default/p/${projectId}/e/${empty.id}/workflows`, { troupe: server })
  world.fireEvent.click((await world.screen.findAllByRole('button', { name: 'Start a workflow' }))[0]!)
  await world.screen.findByText('No workflows deployed')
  expect(await definitions()).toBe(`/o/default/p/${projectId}/definitions`)
})

test.each([
  ['workflows', /\/workflows$/, 'agents:manage-workflows'],
  ['approvals', /\/operation-approvals$/, 'operation-approvals:list'],
  ['invocations', /\/operation-invocations$/, 'operation-invocations:list'],
  ['workers', /\/workers$/, 'operation-invocations:list'],
  ['jobs', /\/agent-jobs$/, 'agent-jobs:list'],
  ['entities', /\/definitions$/, 'definitions:list'],
])('%s: a forbidden list names the permission', async (page, path, permission) => {
  await show(page, forbidden(path, permission))
  await world.screen.findByText(`You need the permission ${permission}.`)
})

test('workers: which worker serves which queue, and how many calls wait', async () => {
  const { path } = served.place
  const asks = { queue: 'billing', workerId: hostile.replaceAll(' ', ''), slots: 3, operations: ['shop.charge'] }
  expect((await server.owner.post(`${path}/workers/leases`, asks)).status).toBe(204)
  await show('workers')
  const queues = await world.screen.findByRole('table', { name: 'queues' })
  expect(queues.textContent).toContain('billing')
  const workers = world.screen.getByRole('table', { name: 'workers' })
  expect(workers.textContent).toContain(asks.workerId)
  expect(workers.textContent).toContain('shop.charge')
})

test('a workflow is started with params of its schema, approved, and completes', async () => {
  const { navigate, path } = await show('workflows', noDefinitionOfRun())
  world.fireEvent.click(await button('Start a workflow'))
  const params = (await world.screen.findByLabelText('Params')) as HTMLTextAreaElement
  expect(JSON.parse(params.value)).toEqual({ note: 'Hello' })
  type(params, '{"note": 3}')
  submit(params)
  await world.screen.findByRole('list', { name: 'Problems of Params' })
  type(params, JSON.stringify({ note: hostile }))
  submit(params)
  await world.screen.findByRole('heading', { name: 'ask' })
  const run = path()
  // of the step in the list, and in the drawing if it is rendered already
  await world.screen.findAllByText('waiting approval')

  navigate(`${at}/approvals`)
  const review = await reviewed()
  expect(document.querySelector('img')).toBeNull()
  await review.findByText('Nothing is sent: the output is the input.')
  type(await review.findByLabelText('Note'), 'It is fine.')
  world.fireEvent.click(review.getByRole('button', { name: 'Approve' }))
  await world.screen.findByText('No pending approvals')
  world.fireEvent.click(await button('Show decided'))
  await world.screen.findByText('It is fine.')

  navigate(run)
  await world.screen.findByText('completed')
})

/** The dialog of the only approval in the table. */
async function reviewed() {
  world.fireEvent.click(await world.screen.findByRole('link', { name: 'shop.approved' }))
  return world.within(await world.screen.findByRole('dialog', { name: 'Decide on shop.approved' }))
}

/** The form reads the Definitions; the page of the run must not draw. */
function noDefinitionOfRun() {
  let started = false
  return (next: Fetch): Fetch =>
    (url, init) => {
      started ||= init.method === 'POST' && url.endsWith('/workflows')
      return started ? noDefinition(next)(url, init) : next(url, init)
    }
}

test('an approval decided by another user shows that decision', async () => {
  await server.start(served, 'ask', { params: { note: 'late' } })
  await show('approvals')
  const review = await reviewed()
  await review.findByLabelText('Note')
  const [approval] = await server.approvals(served)
  await server.decide(served, approval!.id, 'approve')
  world.fireEvent.click(review.getByRole('button', { name: 'Reject' }))
  await world.screen.findByText(/It is now approved/)
  await world.screen.findByText('No pending approvals')
})

test('a step with an unknown outcome is resolved, and the run resumed', async () => {
  const { workflowRunId, state } = await server.run(served, 'charge')
  expect(state).toBe('unknown')
  await show(`workflows/${workflowRunId}`, noDefinition)
  const section = await world.screen.findByRole('region', { name: 'Resolve pay' })
  expect(world.screen.queryByRole('button', { name: 'Resume' })).toBeNull()
  world.fireEvent.click(world.within(section).getByRole('radio', { name: /It took effect/ }))
  submit(section.querySelector('input')!)
  world.fireEvent.click(await button('Resume'))
  await world.screen.findByText('completed')
})

test('without permission for the Definition, a run shows its steps without dependencies', async () => {
  const { workflowRunId } = await server.run(served, 'charge')
  await show(`workflows/${workflowRunId}`, noDefinition)
  await world.screen.findByText(/which you do not have access to/)
  await world.screen.findByRole('list', { name: 'Steps' })
  world.fireEvent.click(await button('Cancel'))
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await world.screen.findByText('Run canceled')
})

test('the unknown step of a canceled run is no longer resolved with it, but its call is', async () => {
  const { workflowRunId } = await server.run(served, 'charge')
  await show(`workflows/${workflowRunId}`, noDefinition)
  await world.screen.findByRole('region', { name: 'Resolve pay' })
  world.fireEvent.click(await button('Cancel'))
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Cancel the run' }))
  await world.screen.findByText('canceled')
  await world.waitFor(() => expect(world.screen.queryByRole('region', { name: 'Resolve pay' })).toBeNull())
  const { body } = await server.owner.get(`${served.place.path}/operation-invocations`, { query: { state: 'unknown' } })
  const call = body.data.items.find((each: { workflowRunId: string }) => each.workflowRunId === workflowRunId)
  await show(`invocations?invocation=${call.id}`)
  type(await world.screen.findByLabelText('Outcome'), 'failed')
  submit(world.screen.getByLabelText('Outcome'))
  await world.screen.findByText('Outcome set')
})

test('a job is scheduled by a pattern shown in words, changed, run and deleted', async () => {
  const { path, navigate } = await show('jobs')
  world.fireEvent.click(await button('New job'))
  type(await world.screen.findByLabelText('Name'), hostile)
  type(world.screen.getByLabelText('Time zone'), 'Europe/Berlin')
  const cron = world.screen.getByLabelText('Cron pattern')
  type(cron, '0 0 31 2 *')
  await world.screen.findByText('Never occurs: there is no such day.')
  type(cron, '30 7 * * MON-FRI')
  await world.screen.findByText('At 07:30, on Monday to Friday')
  const times = world.screen.getByRole('list', { name: 'Next runs' })
  expect(times.children).toHaveLength(5)
  for (const time of times.children) expect(time.textContent).toMatch(/^(Mon|Tue|Wed|Thu|Fri), .* 07:30/)
  type(world.screen.getByLabelText('Prompt'), '/say hello')
  const agents = world.screen.getByLabelText('Agent') as HTMLSelectElement
  // selected explicitly: unlike a browser, the test's document does not select late options
  await world.waitFor(() => expect(agents.options).toHaveLength(1))
  world.fireEvent.change(agents, { target: { value: served.agent.agentId } })
  submit(cron)

  world.fireEvent.click(await button(`Disable ${hostile}`))
  world.fireEvent.click(await button(`Enable ${hostile}`))
  world.fireEvent.click(await button(`Run now: ${hostile}`))
  await world.waitFor(() => expect(path()).toMatch(/^\/o\/default\/runs\/run_/))

  navigate(`${at}/jobs`)
  world.fireEvent.click(await world.screen.findByRole('link', { name: hostile }))
  world.fireEvent.click(await button('Edit'))
  type(await world.screen.findByLabelText('Name'), 'Morning report')
  submit(world.screen.getByLabelText('Name'))
  world.fireEvent.click(await button('Delete'))
  world.fireEvent.click(await button('Delete job'))
  await world.screen.findByText('No jobs yet')
  expect(document.querySelector('img')).toBeNull()
})

test('types of entities come from the Definitions, deployed or not', async () => {
  await server.owner.post(`${served.place.project}/definitions`, { name: 'ticket', kind: 'entity' })
  await show('entities')
  await world.screen.findByRole('option', { name: 'ticket (not deployed)' })
  await world.screen.findByText('No ticket yet')
})

test("an entity's data is rendered as text", async () => {
  const id = 'ent_01h455vb4pex5vsknk084sn02q'
  const now = new Date().toISOString()
  const data = {
    id,
    type: 'ticket',
    state: hostile,
    version: 2,
    data: { [hostile]: hostile },
    createdAt: now,
    updatedAt: now,
  }
  const move = {
    sequence: 1,
    from: null,
    to: 'open',
    event: hostile,
    actor: { type: 'system', id: 'server' },
    attempt: 0,
    reason: null,
    at: now,
  }
  await show(`entities/ticket/${id}`, (next) =>
    answering(/\/transitions$/, 200, { data: { items: [move] }, pagination: { limit: 100, hasMore: false } })(
      answering(/\/entities\/ticket\/ent_\w+$/, 200, { data })(next),
    ),
  )
  const shown = await world.screen.findByRole('region', { name: 'data' })
  expect(shown.textContent).toContain(hostile)
  await world.screen.findByRole('cell', { name: /onerror/ })
  expect(document.querySelector('img')).toBeNull()
})
