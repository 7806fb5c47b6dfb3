/** Computations of the pages of workflows, operations, jobs and entities. */
import { describe, expect, test } from 'bun:test'
import type { WorkflowSource } from '../../../src/authoring/definitions/source.ts'
import { cronWords } from '../../../src/console/pages/agent-jobs/cron-words.ts'
import { clockText, untilText } from '../../../src/console/pages/agent-jobs/next-time.tsx'
import { summaryOf } from '../../../src/console/pages/entities/summary.ts'
import { exampleOf, outlineOf } from '../../../src/console/pages/operations/schema-outline.ts'
import { graphOf } from '../../../src/console/pages/workflows/graph-layout.ts'
import { planIn } from '../../../src/console/pages/workflows/plan.ts'
import { commandsOf, type WorkflowRun } from '../../../src/console/pages/workflows/run.ts'

describe('a cron pattern in words', () => {
  test.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 */2 * * *', 'Every 2 hours'],
    ['5 * * * *', 'Every hour, at minute 5'],
    ['30 7 * * MON-FRI', 'At 07:30, on Monday to Friday'],
    ['0 8,12,18 * * *', 'At 08:00, 12:00 and 18:00, every day'],
    ['0 0 31 12 *', 'At 00:00, on day 31 of December'],
    ['0 8 1,15 * *', 'At 08:00, on day 1 and 15 of the month'],
    ['0 12 13 * FRI', 'At 12:00, on day 13 of the month, or on Friday'],
    ['0 8 * 6-8 *', 'At 08:00, in June to August'],
    ['0 0 */3 * *', 'At 00:00, every 3rd day'],
    ['0 0 * * 7', 'At 00:00, on Sunday'],
    ['*/5 9-17 * * *', 'Every 5 minutes of hour 9 to 17'],
  ])('%s reads "%s"', (cron, words) => {
    expect(cronWords(cron)).toBe(words)
  })

  test.each(['', '* * * *', '0 0 * * * *'])('"%s" has none', (cron) => {
    expect(cronWords(cron)).toBeUndefined()
  })
})

test.each([
  [-5_000, 'now'],
  [45_000, 'in 45 s'],
  [36 * 3_600_000, 'in 36 hours'],
  [5 * 24 * 3_600_000, 'in 5 days'],
])('%d ms ahead is "%s", never a wrong day', (milliseconds, words) => {
  expect(untilText(milliseconds)).toBe(words)
})

test('a time is shown in its time zone', () => {
  const at = Date.parse('2026-11-23T06:30:00Z')
  expect(clockText(at, 'Europe/Berlin', at)).toBe('Mon, Nov 23, 07:30')
  expect(clockText(at, 'Europe/Berlin', at - 400 * 86_400_000)).toBe('Mon, Nov 23, 2026, 07:30')
})

describe('the outline of a JSON Schema', () => {
  const schema = {
    type: 'object',
    properties: {
      orderId: { type: 'string', description: 'As on the invoice.', examples: ['ord_1042'] },
      amount: { type: 'number', minimum: 0.01 },
      reason: { enum: ['late', 'other'] },
      lines: { type: 'array' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    },
    required: ['orderId'],
  }

  test('names fields, their types, and which are optional', () => {
    expect(outlineOf(schema).map(({ name, type, required }) => [name, type, required])).toEqual([
      ['orderId', 'text', true],
      ['amount', 'number, at least 0.01', false],
      ['reason', 'one of "late", "other"', false],
      ['lines', 'array', false],
      ['address', 'object', false],
    ])
  })

  test('provides an initial value', () => {
    expect(exampleOf(schema)).toEqual({
      orderId: 'ord_1042',
      amount: 0.01,
      reason: 'late',
      lines: [],
      address: { city: '' },
    })
  })

  test.each([[undefined], [null], [true], ['text'], [{}], [{ properties: 3 }]])('%p has no outline', (odd) => {
    expect(outlineOf(odd)).toEqual([])
    expect(exampleOf(odd)).toEqual({})
  })

  test('of a recursive schema ends', () => {
    const endless: Record<string, unknown> = { type: 'object', properties: {} }
    ;(endless.properties as Record<string, unknown>).again = endless
    expect(JSON.stringify(exampleOf(endless)).length).toBeLessThan(200)
  })
})

test('a step depends on the steps that it names, and those whose output it uses', () => {
  const source: WorkflowSource = {
    params: {},
    steps: [
      { id: 'find', operation: 'orders.find' },
      { id: 'check', operation: 'orders.check' },
      { id: 'refund', operation: 'orders.refund', input: { id: '{{steps.find.output.id}}' }, after: ['check'] },
    ],
  }
  expect(planIn(source).map(({ id, after }) => [id, after.toSorted()])).toEqual([
    ['find', []],
    ['check', []],
    ['refund', ['check', 'find']],
  ])
  expect(
    graphOf(planIn(source), 'right')
      .edges?.map(({ id }) => id)
      .toSorted(),
  ).toEqual(['check → refund', 'find → refund'])
})

describe('the commands of a workflow run', () => {
  const run = (state: string, ...steps: string[]) =>
    ({
      state,
      steps: steps.map((state, place) => ({ stepId: `step-${place}`, state })),
      endedAt: ['completed', 'failed', 'canceled'].includes(state) ? '2026-11-21T12:00:00Z' : null,
    }) as WorkflowRun

  test.each([
    ['running', ['running'], 'cancel'],
    ['waiting', ['waiting_approval'], 'cancel'],
    ['unknown', ['unknown'], 'cancel resolve'],
    ['unknown', ['succeeded', 'pending'], 'cancel resume'],
    ['running', ['unknown', 'running'], 'cancel'],
    ['canceling', ['running', 'unknown'], ''],
    ['failed', ['failed'], 'resume'],
    ['completed', ['succeeded'], ''],
    ['failed', ['failed', 'unknown'], 'resume resolve'],
    ['canceled', ['unknown', 'canceled'], ''],
  ])('%s with %p: %s', (state, steps, commands) => {
    const { canCancel, canResume, unknown } = commandsOf(run(state, ...steps))
    const offered = [canCancel && 'cancel', canResume && 'resume', unknown.length > 0 && 'resolve'].filter(Boolean)
    expect(offered.join(' ')).toBe(commands)
  })
})

test("the summary line of an entity's data", () => {
  const data = { customer: 'Ada', total: 10, items: [1, 2], address: {}, more: true }
  expect(summaryOf(data)).toBe('customer: Ada · total: 10 · items: 2 entries · address: { … } · …')
})
