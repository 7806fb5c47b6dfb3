/** The actors of a kind on its statechart: counted by state, and stuck ones. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { type Heat, heatOf, populationOf } from '../../../src/console/charts/drawing/population.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
const start = async () => {
  const { body } = await troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
  return body.data.id as string
}
const ids: string[] = []
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  ids.push(await start(), await start())
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const address = '/o/default/statecharts/run'
const actors = async () => world.within(await world.screen.findByRole('region', { name: 'Actors' }))

test('a state on the chart shows the number of its actors, and keeps it current', async () => {
  const { container } = await world.show(address, { troupe })
  await world.screen.findByLabelText(/^State queued, initial, 2 actors, the oldest for /)
  expect(container.querySelector('[data-state="queued"] .chart-count')?.getAttribute('data-count')).toBe('2')
  expect(container.querySelector('[data-state="completed"] .chart-count')).toBeNull()

  ids.push(await start())
  await world.screen.findByLabelText(/^State queued, initial, 3 actors/)
})

test('a selected state lists its actors, each with a link', async () => {
  await world.show(address, { troupe })
  const fleet = await actors()
  const table = world.within(await fleet.findByRole('table', { name: 'Actors by state' }))
  expect(table.getAllByRole('row')).toHaveLength(1 + 11)

  world.fireEvent.click(table.getByRole('button', { name: 'queued' }))
  const list = world.within(await fleet.findByRole('table', { name: 'Actors in queued, longest in state first' }))
  const links = list.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(links).toEqual(ids.map((id) => `/o/default/statecharts/run/${id}`))

  world.fireEvent.click(table.getByRole('button', { name: 'completed' }))
  await fleet.findByText('No actors')
})

test('those that are stuck for longer than so many minutes are kept in the address', async () => {
  const { navigate } = await world.show(address, { troupe })
  const fleet = await actors()
  await fleet.findByRole('table', { name: 'Actors, longest in state first' })
  world.fireEvent.change(fleet.getByLabelText('In state longer than (minutes)'), { target: { value: '60' } })
  await fleet.findByText('No actors')
  navigate(`${address}?minutes=0`)
  expect((await (await actors()).findAllByRole('link')).length).toBe(ids.length)
})

test('only a state that is left without a command is hot', async () => {
  const { container } = await world.show(address, {
    troupe,
    between: (next) => async (url, init) => {
      const answer = await next(url, init)
      if (!url.includes('/population')) return answer
      const { data } = await answer.json()
      const old = { count: 7, oldestSince: '2020-01-01T00:00:00.000Z', secondsInState: { p50: 1, p95: 2 } }
      const states = data.states.map((each: object) => ({ ...each, ...old }))
      return Response.json({ data: { ...data, states } })
    },
  })
  await world.screen.findByLabelText(/^State running, 7 actors/)
  const isHot = (state: string) => container.querySelector(`[data-state="${state}"] .chart-heat-stuck`) !== null
  expect(['running', 'awaitingToolResult', 'completed', 'canceled'].filter(isHot)).toEqual([
    'running',
    'awaitingToolResult',
  ])
})

test.each([
  { what: 'no longer than p50', ageMs: 900, expected: 'cool' },
  { what: 'no longer than p95', ageMs: 4_000, expected: 'warm' },
  { what: 'longer than p95', ageMs: 6_000, expected: 'hot' },
  { what: 'more than ten times p95', ageMs: 60_000, expected: 'stuck' },
] as { what: string; ageMs: number; expected: Heat }[])(
  'the oldest that is there $what is $expected',
  ({ ageMs, expected }) => {
    const now = Date.parse('2026-01-31T12:00:00.000Z')
    const state = {
      state: 'running',
      count: 1_234,
      oldestSince: new Date(now - ageMs).toISOString(),
      secondsInState: { p50: 1, p95: 5 },
    }
    expect(heatOf(state, true, now)).toBe(expected)
    expect(heatOf(state, false, now)).toBe('none')
    expect(heatOf({ ...state, secondsInState: { p50: null, p95: null } }, true, now)).toBe('none')
    expect(populationOf([state, { ...state, state: 'empty', count: 0 }], () => true, now).has('empty')).toBe(false)
  },
)
