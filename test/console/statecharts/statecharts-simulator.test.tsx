/** The simulator in the console, and addresses of moments, against a real server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { queryOf, type Setup, setupIn } from '../../../src/console/pages/statecharts/simulator/address.ts'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

describe('the address of a simulation', () => {
  const setup: Setup = {
    isFromStart: true,
    at: '2030-01-01T00:00:00.000Z',
    context: { retriesLeft: 0 },
    steps: [
      { event: { type: 'leaseRequested' } },
      { waitMs: 60_000 },
      {
        waitMs: 5,
        event: { type: 'entity/update', tags: ['a~b', '{c}', ';!'] },
        assume: { current: true, late: false },
      },
      { event: { type: 'weiß! ~+{' } },
    ],
  }

  test('has all of it, in a form that people can read', () => {
    const query = queryOf(setup) as URLSearchParams
    expect(query.get('steps')).toStartWith('leaseRequested~+60000~+5;entity/update!current!-late{"tags":')
    expect(setupIn(new URLSearchParams(query.toString()))).toEqual(setup)
    expect(setupIn(new URLSearchParams())).toEqual({ isFromStart: false, at: undefined, context: {}, steps: [] })
  })

  test.each(['steps=~', 'steps=%2Bx', 'steps=a{', 'steps=a{"b"}', 'steps=%25E0%25A4%25A', 'context=[]', 'clock=soon'])(
    '%s is none',
    (query) => expect(setupIn(new URLSearchParams(query))).toBeUndefined(),
  )

  test('is bounded', () => {
    const many = { ...setup, steps: Array.from({ length: 51 }, () => ({ event: { type: 'cancel' } })) }
    const long = { ...setup, steps: [{ event: { type: 'cancel', text: 'x'.repeat(9_000) } }] }
    expect([queryOf(many), queryOf(long)]).toEqual([undefined, undefined])
    expect(setupIn(new URLSearchParams({ steps: Array(51).fill('a').join('~') }))).toBeUndefined()
    expect(setupIn(new URLSearchParams({ steps: 'x'.repeat(9_000) }))).toBeUndefined()
  })
})

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

const press = async (name: string | RegExp) => world.fireEvent.click(await world.screen.findByRole('button', { name }))
const tab = (name: string) => world.fireEvent.click(world.screen.getByRole('tab', { name }))
const steps = async (count: number) => {
  tab('Steps')
  const list = await world.screen.findByRole('list', { name: 'Steps' })
  await world.waitFor(() => expect(list.querySelectorAll('.move')).toHaveLength(count))
  return [...list.querySelectorAll('.move')].map(({ textContent }) => textContent)
}

test('events are sent to a copy of an actor, one after the other, and taken back', async () => {
  const shown = await world.show(`/o/default/statecharts/run/${runId}/simulator`, { troupe })
  await press('Send continue')
  await world.screen.findByLabelText(/^State queued, current state/)
  await press('Send cancel')
  await world.screen.findByLabelText('State canceled, current state, entered 1 time')
  expect(await steps(2)).toEqual(['1continuecompleted →queued', '2cancelqueued →canceled'])
  expect(shown.path()).toContain('steps=continue')
  await press('Step back')
  await world.screen.findByLabelText(/^State queued, current state/)
  await press('Undo')
  expect(await steps(1)).toHaveLength(1)
  // the actor knows nothing of it
  const { body } = await troupe.owner.get(`/api/v1/actors/run/${runId}`)
  expect([body.data.state, body.data.journal.length]).toEqual(['completed', 5])
})

test('an address shows the simulation that it has', async () => {
  const query = queryOf({
    isFromStart: false,
    at: '2030-01-01T00:00:00.000Z',
    context: {},
    steps: [
      { event: { type: 'leaseRequested' } },
      { event: { type: 'leased' }, assume: { requested: true } },
      { event: { type: 'cancel' } },
      { event: { type: 'booted' } },
    ],
  })
  await world.show(`/o/default/statecharts/run/simulator?${query}`, { troupe })
  await world.screen.findByLabelText('State canceled, current state, entered 1 time')
  expect(await steps(5)).toEqual([
    '1startqueued',
    '2leaseRequestedqueued →acquiring',
    '3leasedacquiring →starting',
    '4cancelstarting →canceled',
    '5booted refused in canceled',
  ])
  world.fireEvent.click(world.screen.getByRole('button', { name: /^3/ }))
  await world.screen.findByText(/holds, as assumed/)
  await world.screen.findByText('startDeadline', { selector: 'li > code' })
})

test('time passes, and a guard is given its answer', async () => {
  const shown = await world.show('/o/default/statecharts/run/simulator', { troupe })
  await press('Send leaseRequested')
  await press('Wait for acquireDeadline')
  await world.screen.findByText(/^Step 3 of 3/)
  expect((await steps(3)).at(-1)).toBe('3acquireDeadlineacquiring →queued')
  tab('Start')
  world.fireEvent.change(await world.screen.findByLabelText('Context fields, as JSON'), {
    target: { value: '{"retriesLeft": 0}' },
  })
  await press('Start here')
  await world.screen.findByLabelText('State failed, current state, entered 1 time')
  expect(shown.path()).toContain('context=')
})

test('what the server cannot take is said, and an address that was cut', async () => {
  await world.show('/o/default/statecharts/run/simulator?context={"none":1}', { troupe })
  await world.screen.findByText('The request is not valid.')
  world.cleanup()
  await world.show('/o/default/statecharts/run/simulator?steps=cancel{', { troupe })
  await world.screen.findByText('No simulation at this address')
})

test('a moment of a live actor has an address', async () => {
  const shown = await world.show(`/o/default/statecharts/run/${runId}?at=2`, { troupe })
  await world.screen.findByText('2 of 5')
  await world.screen.findByLabelText('State acquiring, current state, entered 1 time')
  await press('Forward one transition')
  await world.screen.findByText('3 of 5')
  await world.waitFor(() => expect(shown.path()).toContain('at=3'))
  await press('Now')
  await world.waitFor(() => expect(shown.path()).not.toContain('at='))
})
