/** The statecharts of all kinds, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { keepLayouts } from '../support/layouts.ts'

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

test('the gallery has a card for every kind', async () => {
  const { items } = (await troupe.owner.get('/api/v1/machines')).body.data
  await world.show('/o/default/statecharts', { troupe })
  const list = await world.screen.findByRole('list', { name: 'Statecharts' })
  await world.within(list).findByText(/11 states · \d+ transitions/)
  expect(world.within(list).getAllByRole('link')).toHaveLength(items.length)
  world.within(list).getByText('One event for one endpoint.')
})

test('a statechart is drawn, and all of its moves are in the table', async () => {
  await world.show('/o/default/statecharts/delivery', { troupe })
  await world.screen.findByRole('heading', { name: 'Webhook delivery' })
  const moves = await world.screen.findByRole('list', { name: 'Transitions' })
  expect(world.within(moves).getAllByRole('button')).toHaveLength(13)
  await world.screen.findByLabelText('State pending, initial')
  await world.screen.findByLabelText('From pending to in-flight on claimed')
})

test('the states say what their deadlines limit, with names as code', async () => {
  await world.show('/o/default/statecharts/run?tab=states', { troupe })
  const states = await world.screen.findByRole('list', { name: 'States' })
  expect(world.within(states).getByText('startAt').tagName).toBe('CODE')
  expect(states.textContent).not.toContain('`')
})

test('a row of the table picks its line out, and only its moves stay', async () => {
  await world.show('/o/default/statecharts/delivery', { troupe })
  const moves = await world.screen.findByRole('list', { name: 'Transitions' })
  world.fireEvent.click(world.within(moves).getByRole('button', { name: /dead-letter.*pending.*retry/ }))
  await world.screen.findByText('dead-letter → pending')
  expect(world.within(moves).getAllByRole('button')).toHaveLength(1)
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Show all' }))
  expect(world.within(moves).getAllByRole('button')).toHaveLength(13)
})

test('a row by which one comes into being picks out the state that it begins in', async () => {
  await world.show('/o/default/statecharts/delivery', { troupe })
  const moves = await world.screen.findByRole('list', { name: 'Transitions' })
  const birth = world.within(moves).getByRole('button', { name: /new.*pending.*replay/ })
  world.fireEvent.click(birth)
  await world.screen.findByText('5 of 13 transitions:', { exact: false })
  expect(birth.isConnected).toBe(true)
})

test('a row that is picked says what its guard and its effects mean', async () => {
  await world.show('/o/default/statecharts/delivery', { troupe })
  const moves = await world.screen.findByRole('list', { name: 'Transitions' })
  world.fireEvent.click(world.within(moves).getByRole('button', { name: /in-flight.*delivered.*acknowledged/ }))
  await world.screen.findByText('The report is for the attempt in flight.')
  await world.screen.findByText('Clears the failing status of the webhook.')
})

test('every name has its meaning', async () => {
  await world.show('/o/default/statecharts/delivery', { troupe })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Reference' }))
  const region = async (name: string) => world.within(await world.screen.findByRole('region', { name }))
  ;(await region('Events')).getByText(/^POST .*\/deliveries\/\{deliveryId\}\/retry$/, { selector: 'code' })
  ;(await region('Events')).getByText('The endpoint answered 2xx.')
  ;(await region('Guards')).getByText('The retry delay is over.')
  ;(await region('Deadlines')).getByText('TROUPE_WEBHOOK_LEASE_MS')
  ;(await region('Effects')).getByText('Clears the failing status of the webhook.')
})

test('a deadline without a default says so', async () => {
  await world.show('/o/default/statecharts/agent-job', { troupe })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Reference' }))
  await world.screen.findByText('set for each actor')
})

test('a kind that there is not shows that there is nothing', async () => {
  await world.show('/o/default/statecharts/nonsense', { troupe })
  await world.screen.findByText('Not found')
})

test('names of states and events are text, whatever is in them', async () => {
  const hostile = '<img src=x onerror=alert(1)>'
  const machine = {
    kind: 'run',
    title: hostile,
    version: '1',
    states: [hostile, 'done'],
    groups: [],
    transitions: [
      { from: null, event: 'create', guard: null, to: hostile, effects: [], declaredAt: null, declaredTo: hostile },
      {
        from: hostile,
        event: hostile,
        guard: hostile,
        to: 'done',
        effects: [hostile],
        declaredAt: hostile,
        declaredTo: 'done',
      },
    ],
    xstate: { id: 'run', version: '1', initial: hostile, states: { [hostile]: {}, done: {} } },
    mermaid: hostile,
    about: hostile,
    events: ['create', hostile].map((event) => ({ event, by: 'command', says: hostile })),
    guards: [{ guard: hostile, holdsWhen: `\`${hostile}\`` }],
    effects: [{ effect: hostile, bringsAbout: hostile }],
    deadlines: [],
  }
  keepLayouts(machine)
  const { container } = await world.show('/o/default/statecharts/run', {
    troupe,
    between: (next) => async (url, init) =>
      url.endsWith('/machines/run') ? Response.json({ data: machine }) : next(url, init),
  })
  await world.screen.findByRole('heading', { name: hostile })
  await world.screen.findByLabelText(`State ${hostile}, initial`)
  world.fireEvent.click(world.screen.getByRole('tab', { name: 'Reference' }))
  await world.screen.findByRole('region', { name: 'Guards' })
  expect(container.querySelector('img')).toBeNull()
})

test('a statechart is compared with that of another version, from a file', async () => {
  const machine = (await troupe.owner.get('/api/v1/machines/delivery')).body.data
  await world.show('/o/default/statecharts/delivery', { troupe })
  world.fireEvent.click(await world.screen.findByRole('tab', { name: 'Compare' }))
  const input = await world.screen.findByLabelText('Earlier statechart')
  const choose = (text: string) => {
    const file = new File([text], 'delivery-statechart.json', { type: 'application/json' })
    Object.defineProperty(input, 'files', { value: [file], configurable: true })
    world.fireEvent.change(input)
  }
  choose('{}')
  await world.screen.findByText('The file is not a statechart: download one as JSON from the tab Export.')
  choose(JSON.stringify(machine))
  await world.screen.findByText(`The file has the same statechart, version ${machine.version}.`)
  const without = machine.transitions.filter(({ event }: { event: string }) => event !== 'retry')
  choose(JSON.stringify({ ...machine, transitions: without }))
  const list = await world.screen.findByRole('list', { name: 'Differences of the statecharts' })
  expect(list.textContent).toContain('retry in dead-letter added (to pending)')
})
