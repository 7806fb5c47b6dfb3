import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { charts } from '../../../machines/charts/all.ts'
import { runChart } from '../../../machines/charts/run.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { duration } from '../../../src/runtime/statecharts/duration.ts'
import { chartPages, pagesFolder } from '../../../src/runtime/statecharts/generate-docs.ts'
import { chartPage } from '../../../src/runtime/statecharts/page.ts'
import { ticketChart } from './ticket.ts'

test('the pages match the machines; else run: bun src/runtime/statecharts/generate-docs.ts', async () => {
  const pages = chartPages()
  expect((await readdir(pagesFolder)).sort()).toEqual([...pages.keys()].sort())
  for (const [name, page] of pages) expect(await Bun.file(pagesFolder + name).text()).toBe(page)
})

test.each(charts.map((chart) => ({ kind: chart.machine.id, chart })))(
  '$kind: describes no unknown name',
  ({ chart }) => {
    const { transitions } = describeChart(chart)
    const events = new Set(transitions.map(({ event }) => event))
    const guards = new Set(transitions.map(({ guard }) => guard))
    const page = chartPage(chart)
    expect(Object.keys(chart.events).filter((event) => !events.has(event))).toEqual([])
    expect(Object.keys(chart.guards).filter((guard) => !guards.has(guard))).toEqual([])
    expect(Object.keys(chart.deadlines).filter((deadline) => !events.has(deadline))).toEqual([])
    expect(Object.keys(chart.effects).filter((effect) => !page.includes(`| \`${effect}\` | `))).toEqual([])
  },
)

test.each(['events', 'guards', 'deadlines', 'effects'] as const)(
  'a page without a description of its %s is not written',
  (part) => {
    expect(() => chartPage({ ...ticketChart, [part]: {} })).toThrow('does not explain')
  },
)

// contract 9, "Configuration"
test.each([
  ['queueDeadline', '1 day', 'TROUPE_QUEUE_TTL_MS'],
  ['awaitDeadline', '7 days', 'TROUPE_AWAIT_TTL_MS'],
  ['activeDeadline', '1 hour', 'TROUPE_ACTIVE_LIMIT_MS'],
  ['cancelDeadline', '30 seconds', 'TROUPE_CANCEL_GRACE_MS'],
])('the run page shows %s with %s, set by %s', (deadline, length, setting) => {
  const line = chartPage(runChart)
    .split('\n')
    .find((row) => row.startsWith(`| \`${deadline}\``))
  expect(line).toEndWith(`| ${length} | \`${setting}\` |`)
})

test.each([
  ['agent-job', 'tick'],
  ['workflow-run', 'lookAgain'],
  ['subscription', 'due'],
])("the page of %s says that the delay of %s follows from the actor's context", (kind, deadline) => {
  const line = (chartPages().get(`${kind}.md`) as string).split('\n').find((row) => row.startsWith(`| \`${deadline}\``))
  expect(line).toEndWith("| follows from the actor's context |  |")
})

test('the page of a delivery names the operation that retries it', () => {
  expect(chartPages().get('delivery.md')).toContain(
    '| `retry` | a command | `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`. |',
  )
})

test.each([
  [0, '0 milliseconds'],
  [1, '1 millisecond'],
  [1_500, '1500 milliseconds'],
  [60_000, '1 minute'],
  [90_000, '90 seconds'],
])('%d ms read as %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
