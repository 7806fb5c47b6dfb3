/** A live actor on its statechart, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let runId: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
  const run = await start(troupe.owner, 'Hello')
  runId = run.id ?? run.agentRunId
  await inState(troupe.owner, runId, 'completed')
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const showActor = (id = runId, between?: (next: Fetch) => Fetch) =>
  world.show(`/o/default/statecharts/run/${id}`, { troupe, ...(between && { between }) })
const journal = async () => {
  const list = await world.screen.findByRole('list', { name: 'Journal' })
  return world
    .within(list)
    .getAllByRole('button')
    .map(({ textContent }) => textContent)
}
const goOn = (query: string) => troupe.owner.post(`/api/v1/agent-runs/${runId}/continue`, { query })

test('an actor has its journal, newest first', async () => {
  await showActor()
  const [newest, ...older] = await journal()
  expect(newest).toStartWith('5completed')
  expect(older.at(-1)).toStartWith('1')
  await world.screen.findByLabelText('State completed, current state, entered 1 time')
})

test('a row of the journal shows the chart at that time', async () => {
  await showActor()
  await journal()
  world.fireEvent.click(world.screen.getByRole('button', { name: /^2 ?leaseRequested/ }))
  await world.screen.findByText('2 of 5')
  await world.screen.findByLabelText('State acquiring, current state, entered 1 time')
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Forward one transition' }))
  await world.screen.findByText('3 of 5')
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Now' }))
  await world.screen.findByText('5 of 5')
})

test('the next events show their senders, and can be tried', async () => {
  await showActor()
  await journal()
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Next' }))
  await world.screen.findByText('POST /api/v1/agent-runs/{agentRunId}/continue', { selector: 'code' })
  expect(world.screen.getAllByText(/^Command:/).length).toBeGreaterThan(0)
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Try it: continue' }))
  await world.screen.findByText(/^Would be accepted\. Next state:/)
  expect(await inState(troupe.owner, runId, 'completed')).toBeTruthy()
})

test('an event with data is edited before it is tried', async () => {
  await showActor()
  await journal()
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Next' }))
  world.fireEvent.change(await world.screen.findByLabelText('Event as JSON'), { target: { value: '{' } })
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Try the event', hidden: true }))
  await world.screen.findByText('This is not valid JSON.')
})

test('the journal can be verified', async () => {
  await showActor()
  await journal()
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Verify' }))
  await world.screen.findByText('Journal verified')
})

test('moves appear as they happen', async () => {
  await showActor()
  await journal()
  await world.screen.findByText('Live')
  const going = goOn('Once more')
  await world.screen.findByRole('button', { name: /^10 ?completed/ })
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Context' }))
  await world.screen.findByText(/"chain": 2/)
  expect((await going).status).toBe(200)
})

test('concurrent moves highlight the final state at once', async () => {
  await showActor()
  const count = (await journal()).length
  await world.screen.findByText('Live')
  const going = goOn('And once more')
  await world.screen.findByRole('button', { name: new RegExp(`^${count + 5} ?completed`) })
  // the highlight is complete in that render, without an animation along every line
  await world.act(async () => {})
  world.screen.getByLabelText('Statechart: Agent run, in completed')
  world.screen.getByLabelText('State completed, current state, entered 3 times')
  expect((await going).status).toBe(200)
})

test('older moves are loaded on demand', async () => {
  // as if the server had returned only the last three
  const short =
    (next: Fetch): Fetch =>
    async (url, init) => {
      const answer = await next(url, init)
      if (!url.endsWith(`/actors/run/${runId}`)) return answer
      const body = (await answer.json()) as { data: { journal: unknown[] } }
      return Response.json({ data: { ...body.data, journal: body.data.journal.slice(-3) } })
    }
  await showActor(runId, short)
  expect(await journal()).toHaveLength(3)
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Load older' }))
  await world.screen.findByText('15 of 15 transitions')
  expect(world.screen.queryByRole('button', { name: 'Load older' })).toBeNull()
})

test('an unknown actor shows that there is nothing', async () => {
  await showActor('run_01h455vb4pex5vsknk084sn02q')
  await world.screen.findByText('Not found')
})

test('a missing permission is named', async () => {
  const error = { code: 'permission_denied', message: 'No.', requestId: 'r', details: { permission: 'agent-runs:get' } }
  const refuse =
    (next: Fetch): Fetch =>
    async (url, init) =>
      url.includes('/actors/run/') ? Response.json({ error }, { status: 403 }) : next(url, init)
  await showActor(runId, refuse)
  await world.screen.findByText('You need the permission agent-runs:get.')
})
