/** Definitions in the console: their sources, and the statecharts of entities. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let path: string
let page: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  // pages are loaded on first use, which takes a while on a busy machine
  await Promise.all([
    import('../../../src/console/pages/agents/agent.tsx'),
    import('../../../src/console/pages/agents/list.tsx'),
    import('../../../src/console/pages/definitions/definition.tsx'),
  ])
  const project = (await troupe.owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
  path = `/api/v1/projects/${project.id}`
  page = `/o/default/p/${project.id}`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

let made = 0

async function aDefinition(kind: string) {
  return (await troupe.owner.post(`${path}/definitions`, { name: `thing-${++made}`, kind })).body.data as { id: string }
}

const click = (element: HTMLElement) => world.fireEvent.click(element)
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const button = (name: string | RegExp) => world.screen.findByRole('button', { name, hidden: true })
const view = async (title: string) => click(await world.screen.findByRole('radio', { name: title }))

test.each(['operations', 'workflow', 'entity'])('a Definition of kind %s begins with a valid source', async (kind) => {
  const { id } = await aDefinition(kind)
  await world.show(`${page}/definitions/${id}`, { troupe })
  await world.screen.findByText('Not published yet')
  await view('New revision')
  click(await button('Publish revision 1'))
  await world.screen.findByText('Revision 1 published')
})

test('each operation says what executes it', async () => {
  const { id } = await aDefinition('operations')
  const operation = (name: string, handler: object) => ({
    ...{ name, handler, description: 'Looks.', inputSchema: { type: 'object' } },
    ...{ effect: 'read', idempotent: true, approval: 'never' },
  })
  const operations = [
    operation('echoed', { type: 'echo' }),
    operation('served', { type: 'worker', queue: 'lookups' }),
    operation('asked', { type: 'agent', agent: 'clerk', query: 'Look.' }),
  ]
  const published = await troupe.owner.post(`${path}/definitions/${id}/revisions`, { source: { operations } })
  expect(published.status).toBe(201)
  await world.show(`${page}/definitions/${id}`, { troupe })
  const table = await world.screen.findByRole('table', { name: 'operations' })
  const rows = world.within(table).getAllByRole('row').slice(1)
  const handlers = rows.map((row) => row.querySelector('[data-title="Handler"]')?.textContent)
  expect(handlers).toEqual(['returns its input', 'a worker of the queue lookups', 'runs the Agent clerk'])
})

test('issues of a source are listed by line', async () => {
  const { id } = await aDefinition('workflow')
  await world.show(`${page}/definitions/${id}`, { troupe })
  await view('New revision')
  type(
    await world.screen.findByLabelText('Source'),
    JSON.stringify({ params: {}, steps: [{ id: 'a', operation: 'nowhere' }] }, null, 2),
  )
  click(await button('Publish revision 1'))
  const problems = await world.screen.findByRole('list', { name: 'Problems of Source' })
  expect(problems.textContent).toContain('Line 6/steps/0/operation')
})

const entity = (states: object) => ({ schema: { type: 'object' }, states: { initial: 'open', states } })
const write = (source: object) => type(world.screen.getByLabelText('Source'), JSON.stringify(source, null, 2))

test('the source of an entity is shown with its statechart, compared with the latest revision', async () => {
  const { id } = await aDefinition('entity')
  const revisions = `${path}/definitions/${id}/revisions`
  await troupe.owner.post(revisions, { source: entity({ open: { on: { pay: 'paid' } }, paid: {} }) })
  await world.show(`${page}/definitions/${id}`, { troupe })
  await view('New revision')
  await world.screen.findByText('The statechart is the same as in revision 1.')
  write(entity({ open: { on: { pay: 'paid' } }, paid: { on: { ship: 'shipped' } }, shipped: {} }))
  const list = await world.screen.findByRole('list', { name: 'Differences of the statecharts' })
  expect(world.within(list).getAllByRole('listitem')[0]?.textContent).toBe('+State shipped added')
  // errors are shown before publishing, and the last drawing stays
  write(entity({ open: { on: { pay: 'nowhere' } } }))
  const problems = await world.screen.findByRole('list', { name: 'Problems of Source' })
  expect(problems.textContent).toContain('/states/states/open/on/pay')
  expect(list.isConnected).toBe(true)
  write(entity({ open: { on: { close: 'closed' } }, closed: {} }))
  await world.waitFor(() => expect(world.screen.queryByRole('list', { name: 'Problems of Source' })).toBeNull())
  click(await button('Publish revision 2'))
  await world.screen.findByText('Revision 2 published')
  await view('Compare')
  const compared = await world.screen.findByRole('list', { name: 'Differences of the statecharts' })
  expect(compared.textContent).toContain('State paid removed')
})

test('entities in states that a draft does not have are counted before it is published', async () => {
  const { id } = await aDefinition('entity')
  const stranded = [
    { environmentId: 'env_01h455vb4pex5vsknk084sn02q', state: 'paid', count: 1_000, hasMore: true },
    { environmentId: 'env_01h455vb4pex5vsknk084sn02q', state: 'held', count: 2, hasMore: false },
  ]
  await world.show(`${page}/definitions/${id}`, {
    troupe,
    between: (next) => async (url, init) => {
      const reply = await next(url, init)
      if (!url.endsWith('/preview')) return reply
      const { data } = await reply.json()
      return Response.json({ data: { ...data, stranded } })
    },
  })
  await view('New revision')
  const list = await world.screen.findByRole('list', { name: 'Entities in undefined states' })
  const texts = world
    .within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
  expect(texts).toEqual([
    'env_01h455vb4pex5vsknk084sn02q: more than 1,000 in paid',
    'env_01h455vb4pex5vsknk084sn02q: 2 in held',
  ])
  const [link] = world.within(list).getAllByRole('link')
  expect(link?.getAttribute('href')).toContain('/e/env_01h455vb4pex5vsknk084sn02q/entities?type=thing-')
})

test('a revision of an entity is simulated before anything is deployed', async () => {
  const { id } = await aDefinition('entity')
  const revisions = `${path}/definitions/${id}/revisions`
  await troupe.owner.post(revisions, { source: entity({ open: { on: { pay: 'paid' } }, paid: {} }) })
  const shown = await world.show(`${page}/definitions/${id}`, { troupe })
  click(await world.screen.findByRole('link', { name: 'Simulate' }))
  await world.screen.findByRole('heading', { name: 'Simulator' })
  click(await button('Send pay'))
  await world.screen.findByLabelText('State paid, current state, entered 1 time')
  expect(shown.path()).toContain('steps=pay')
})
