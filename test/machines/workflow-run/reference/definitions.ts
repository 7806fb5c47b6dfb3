/** Workflows at random: all kinds of steps, without cycles. */
import fc from 'fast-check'
import type { Step, Workflow } from './unit.ts'

const kinds = fc.constantFrom(
  ...(['operation', 'operation', 'operation', 'operation', 'operation', 'operation', 'workflow'] as const),
  ...(['sleep', 'waitFor', 'items', 'items', 'workflows'] as const),
)

const step = fc.record({
  kind: kinds,
  after: fc.array(fc.nat({ max: 6 }), { maxLength: 2 }),
  uses: fc.array(fc.nat({ max: 6 }), { maxLength: 1 }),
  retry: fc.option(fc.record({ maxAttempts: fc.integer({ min: 1, max: 3 }), backoffMs: fc.constantFrom(0, 5, 40) }), {
    nil: undefined,
  }),
  ignores: fc.boolean(),
  hasCondition: fc.constantFrom(true, false, false),
  isUndone: fc.constantFrom(true, true, true, false),
  ms: fc.constantFrom(1, 20, 200),
  concurrency: fc.constantFrom(undefined, 1, 2),
})

type Given = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function stepOf(given: Given, place: number): Step {
  // only on steps before it: no cycles
  const named = (places: number[]) => [...new Set(place === 0 ? [] : places.map((other) => `s${other % place}`))]
  const { kind, retry, ignores, hasCondition, isUndone, ms, concurrency } = given
  const isList = kind === 'items' || kind === 'workflows'
  const [used] = named(given.uses)
  const value = used === undefined ? '{{params.x}}' : `{{steps.${used}.output.x}}`
  return {
    id: `s${place}`,
    ...((kind === 'operation' || kind === 'items') && { operation: 'shop.do' }),
    ...((kind === 'workflow' || kind === 'workflows') && { workflow: 'other' }),
    ...(kind === 'sleep' && { sleep: ms }),
    ...(kind === 'waitFor' && { waitFor: { event: 'paid', correlation: value, timeoutMs: ms } }),
    ...(isList && { forEach: value, ...(concurrency !== undefined && { concurrency }) }),
    ...((kind === 'operation' || kind === 'workflow') && { input: { value } }),
    ...(hasCondition && { when: value }),
    ...(retry && { retry }),
    ...(ignores && { onError: 'continue' as const }),
    ...(kind === 'operation' && isUndone && { compensate: { operation: 'shop.undo' } }),
    after: named(given.after),
  }
}

export const workflows: fc.Arbitrary<Workflow> = fc
  .record({ steps: fc.array(step, { minLength: 1, maxLength: 7 }), hasOutput: fc.boolean() })
  .map(({ steps, hasOutput }) => ({
    steps: steps.map(stepOf),
    ...(hasOutput && { output: { last: `{{steps.s${steps.length - 1}.output}}` } }),
  }))

/** What picks the next event, and how much later it comes. */
export interface Choice {
  which: number
  how: number
  afterMs: number
}

export const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.record({ which: fc.nat({ max: 9_999 }), how: fc.nat({ max: 999 }), afterMs: fc.constantFrom(1, 1, 3, 30) }),
  { maxLength: 60 },
)
