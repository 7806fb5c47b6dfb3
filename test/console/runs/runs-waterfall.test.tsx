/** The steps of a long run on their timeline. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Step } from '../../../src/console/pages/runs/steps/steps.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let world: ConsoleWorld
let Waterfall: typeof import('../../../src/console/pages/runs/steps/waterfall.tsx').Waterfall
beforeAll(async () => {
  world = await openConsole()
  ;({ Waterfall } = await import('../../../src/console/pages/runs/steps/waterfall.tsx'))
})
afterEach(() => world.cleanup())
afterAll(() => world?.close())

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString()

const stepOf = (place: number): Step => ({
  agentStepId: place + 1,
  agentRunId: 'run_1',
  parentAgentStepId: place === 0 ? null : 1,
  sequence: place + 1,
  kind: place === 0 ? 'agent' : 'model',
  name: `<b>step ${place + 1}</b>`,
  status: 'completed',
  attempt: 1,
  agent: { agentId: 'agt_1', agentRevisionId: 'agr_1', name: 'Clerk' },
  timing: { startedAt: at(place * 10), endedAt: at(place * 10 + 9), durationMs: 9 },
  tokenUsage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 },
  cost: null,
  execution: { provider: null, model: null, finishReason: null, toolCallId: null, retries: 0 },
  input: null,
  output: null,
  error: null,
  lastCheckpointId: null,
  childAgentSteps: [],
  createdAt: at(place * 10),
  updatedAt: at(place * 10 + 9),
})

const stepsOf = (count: number) => Array.from({ length: count }, (_, place) => stepOf(place))

function show(steps: Step[], total: number, more: { chosen?: number } = {}) {
  const wanted: number[] = []
  const chosen: number[] = []
  const { container } = world.render(
    <Waterfall
      steps={steps}
      paged={steps.length}
      total={total}
      want={(count) => wanted.push(count)}
      chosen={more.chosen}
      onChoose={(id) => chosen.push(id)}
      span={{ from: at(0), to: at(total * 10) }}
      zoomed={false}
    />,
  )
  return { container, wanted, chosen, list: world.screen.getByRole('listbox', { name: `${total} steps` }) }
}

test('of 10,000 steps only the visible ones are in the document', () => {
  const { list } = show(stepsOf(10_000), 10_000)
  expect(world.screen.getAllByRole('option').length).toBeLessThan(50)
  world.fireEvent.scroll(list, { target: { scrollTop: 34 * 5_000 } })
  world.screen.getByText('<b>step 5001</b>')
  expect(world.screen.getAllByRole('option').length).toBeLessThan(50)
})

test('missing steps are requested on scroll', () => {
  const { list, wanted } = show(stepsOf(100), 10_000)
  expect(wanted).toEqual([])
  world.fireEvent.scroll(list, { target: { scrollTop: 34 * 400 } })
  expect(wanted.at(-1)).toBeGreaterThan(400)
})

test('the arrow keys choose the next step', () => {
  const { list, chosen } = show(stepsOf(20), 20, { chosen: 3 })
  world.fireEvent.keyDown(list, { key: 'ArrowDown' })
  world.fireEvent.keyDown(list, { key: 'ArrowUp' })
  world.fireEvent.keyDown(list, { key: 'End' })
  expect(chosen).toEqual([4, 2, 20])
})

test('names are rendered as text', () => {
  const { container } = show(stepsOf(3), 3)
  expect(container.querySelector('.waterfall b')).toBeNull()
})
