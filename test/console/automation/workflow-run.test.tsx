/** The page of a workflow run, with each kind of step, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openWorld, type Served, type World } from '../../automation/workflows/world.ts'
import { eventually } from '../../support/process.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

const params = { type: 'object' }
const weekMs = 7 * 86_400_000

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
  ])
  server.shop.answer = ({ path }) =>
    path.endsWith('/bad') ? Response.json({ error: 'sold out' }, { status: 422 }) : Response.json({ path })
  served = await server.serving({
    ask: { params, steps: [{ id: 'agree', operation: 'shop.approved', input: { note: '{{params.note}}' } }] },
    order: {
      params,
      steps: [
        { id: 'manager', operation: 'shop.approved', when: '{{params.sum}} > 100' },
        { id: 'grace', sleep: weekMs },
        { id: 'paid', waitFor: { event: 'payment.received', correlation: '{{params.order}}', timeoutMs: weekMs } },
        { id: 'child', workflow: 'ask', input: { note: 'hello' } },
        { id: 'close', operation: 'shop.echo', after: ['grace', 'child'] },
      ],
    },
    list: {
      params,
      steps: [
        {
          id: 'notify',
          forEach: '{{params.names}}',
          concurrency: 100,
          operation: 'shop.read',
          input: { what: '{{item}}' },
        },
        { id: 'tell', operation: 'shop.echo', after: ['notify'] },
      ],
    },
    trip: {
      params,
      steps: ['hotel', 'flight', 'car'].map((id, place, ids) => ({
        id,
        operation: 'shop.read',
        input: { what: id === 'car' ? 'bad' : id },
        after: ids.slice(0, place).slice(-1),
        compensate: { operation: id === 'flight' ? 'shop.approved' : 'shop.echo' },
      })),
    },
  })
  at = `/o/default/p/${served.place.projectId}/e/${served.place.environmentId}`
  await loading
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await server?.stop()
})

const show = (page: string) => world.show(`${at}/${page}`, { troupe: server })
const steps = async () => world.within(await world.screen.findByRole('list', { name: 'Steps' }))
/** The row of a step, and its details once they are open. */
async function step(name: string) {
  const row = (await (await steps()).findByText(name, { selector: 'strong' })).closest('details') as HTMLElement
  return { row, in: world.within(row) }
}
async function open(name: string) {
  const opened = await step(name)
  const details = opened.row as HTMLDetailsElement
  details.open = true
  world.fireEvent(details, new window.Event('toggle'))
  return opened
}
const starting = async (name: string, params: object) =>
  (await server.start(served, name, { params })).body.data.workflowRunId as string

test('compensations are listed in their order, also those that are to come', async () => {
  const id = await starting('trip', {})
  await server.approvalsOf(served, 1)
  await show(`workflows/${id}`)
  const list = world.within(await world.screen.findByRole('list', { name: 'Compensations' }))
  await world.waitFor(() =>
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^flight shop\.approvedwaiting approval/),
      'hotel shop.echopending',
    ]),
  )
  const waits = await world.screen.findByRole('region', { name: 'Waiting for' })
  expect(waits.textContent).toBe('The compensation of flight waits for approval.Go to approvals')
  const [approval] = await server.approvals(served)
  await server.decide(served, approval!.id, 'reject')
  await (await step('hotel')).in.findByText('compensated')
  await (await step('flight')).in.findByText('compensation failed')
  expect(list.getAllByRole('listitem').map(({ firstChild }) => firstChild?.firstChild?.textContent)).toEqual([
    'flight',
    'hotel',
  ])
})

test('what holds a run is said first, an event can be sent, and its data is the output', async () => {
  const id = await starting('order', { sum: 40, order: 'A-17' })
  await eventually('it waits', async () => {
    const { steps } = await server.get(served, id)
    return steps.filter(({ state }) => state === 'waiting').length === 2 && steps[3]!.childWorkflowRunId !== null
  })
  const { navigate } = await show(`workflows/${id}`)
  const waits = world.within(await world.screen.findByRole('region', { name: 'Waiting for' }))
  expect(waits.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^grace sleeps; it ends in (?:7 d 0 h|6 d 23 h)\.$/),
    expect.stringMatching(/^paid waits for payment\.received for A-17, times out in (?:7 d 0 h|6 d 23 h)\./),
  ])
  world.fireEvent.click(waits.getByRole('button', { name: 'Send event' }))
  const dialog = world.within(await world.screen.findByRole('dialog', { name: 'Send an event' }))
  expect((dialog.getByLabelText('Event') as HTMLInputElement).value).toBe('payment.received')
  expect((dialog.getByLabelText('Correlation') as HTMLInputElement).value).toBe('A-17')
  const data = dialog.getByLabelText('Data')
  world.fireEvent.change(data, { target: { value: '{"sum": 12.5' } })
  world.fireEvent.submit(data.closest('form')!)
  await dialog.findByRole('list', { name: 'Problems of Data' })
  world.fireEvent.change(data, { target: { value: '{"sum": 12.5}' } })
  world.fireEvent.submit(data.closest('form')!)
  await world.screen.findByText('payment.received sent')
  const paid = await open('paid')
  expect((await paid.in.findByRole('region', { name: 'output of paid' })).textContent).toContain('12.5')

  // the way to the run of the child, and back
  const child = await open('child')
  world.fireEvent.click(await child.in.findByRole('link', { name: 'Open the run of ask' }))
  await world.screen.findByRole('heading', { name: 'ask' })
  world.fireEvent.click(await world.screen.findByRole('link', { name: `workflow run …${id.slice(-6)}` }))
  await world.screen.findByRole('heading', { name: 'order' })

  navigate(`${at}/workflows`)
  const childRuns = await world.screen.findByLabelText('Child runs')
  const isOfChild = () => world.screen.queryByRole('link', { name: `workflow run …${id.slice(-6)}` })
  await world.screen.findByRole('table', { name: 'runs of workflows' })
  expect(isOfChild()).toBeNull()
  world.fireEvent.change(childRuns, { target: { value: 'shown' } })
  await world.waitFor(() => expect(isOfChild()).not.toBeNull())
})

test('a step that its condition left out says so, with the values that it looked at', async () => {
  const id = await starting('order', { sum: 40, order: 'A-18' })
  await show(`workflows/${id}?step=manager`)
  const { in: manager } = await step('manager')
  await manager.findByText('its condition does not hold')
  await manager.findByText(/^Skipped: its condition does not hold\./)
  const condition = await manager.findByRole('region', { name: 'Condition' })
  expect(condition.textContent).toContain('{{params.sum}} > 100')
  expect(condition.querySelector('dl')!.textContent).toBe('params.sum40')
})

test('of many items those that failed are found, each with its value and its error', async () => {
  const names = Array.from({ length: 70 }, (_, index) => (index === 41 ? 'bad' : `n-${index}`))
  const { workflowRunId, steps } = await server.run(served, 'list', { names })
  expect(steps.map(({ state }) => state)).toEqual(['failed', 'skipped'])
  await show(`workflows/${workflowRunId}`)
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Show step' }))
  const items = world.within(await world.screen.findByRole('region', { name: 'Items of notify' }))
  const item = () => items.getAllByRole('listitem')
  expect(item()).toHaveLength(1)
  // the values of the items stand in the parameters of the run, which may arrive after its steps
  await items.findByText('bad')
  expect(item()[0]!.textContent).toMatch(/^41bad.*sold out.*failed$/)
  world.fireEvent.click(items.getByRole('radio', { name: 'All 70' }))
  expect(item()).toHaveLength(50)
  world.fireEvent.click(items.getByRole('button', { name: 'Show 20 more of 70' }))
  expect(item()).toHaveLength(70)
  const { in: tell } = await open('tell')
  await tell.findByText('not reached')
  await tell.findByText('It depends on the step notify, which has failed.')
})

test.each([
  ['order', 'Does|Condition', 'sleep 7 d'],
  ['trip', 'Does|Compensated by', 'shop.approved'],
  ['list', 'Does', 'shop.read for each of {{params.names}}, 100 at once'],
])('the Definition of %s lists what its steps do, in the columns that it needs: %s', async (name, columns, does) => {
  const { navigate } = await show('workflows')
  navigate(`/o/default/p/${served.place.projectId}/definitions`)
  world.fireEvent.click(await world.screen.findByRole('link', { name }))
  const table = world.within(await world.screen.findByRole('table', { name: 'steps' }))
  const titles = table.getAllByRole('columnheader').map(({ textContent }) => textContent as string)
  expect(titles.filter((title) => /Does|Condition|Compensated/.test(title)).join('|')).toBe(columns)
  expect(table.getAllByRole('cell').map(({ textContent }) => textContent)).toContain(does)
})
