/**
 * Workflows at random that a real server can run. What an operation answers depends on its path alone, so that the ends
 * that a run can have are known; each path names the run and the step.
 */
import fc from 'fast-check'
import type { Step, Workflow } from '../../../machines/workflow-run/reference/unit.ts'

const step = fc.record({
  kind: fc.constantFrom(
    ...(['write', 'write', 'charge', 'charge', 'read', 'approved', 'child', 'sleep', 'event', 'noEvent'] as const),
    ...(['items', 'charges', 'children'] as const),
  ),
  after: fc.array(fc.nat({ max: 5 }), { maxLength: 2 }),
  attempts: fc.constantFrom(1, 1, 2, 3),
  backoffMs: fc.constantFrom(0, 5, 30),
  ignores: fc.constantFrom(true, false),
  when: fc.constantFrom(undefined, undefined, undefined, '{{params.yes}}', '{{params.no}}'),
  isUndone: fc.boolean(),
  ms: fc.integer({ min: 1, max: 40 }),
  concurrency: fc.constantFrom(1, 2),
})
type Given = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const operationOf = {
  write: 'write',
  charge: 'charge',
  read: 'read',
  approved: 'approved',
  items: 'write',
  charges: 'charge',
}

function stepOf({ kind, after, attempts, backoffMs, when, ms, concurrency, ...flags }: Given, place: number): Step {
  const id = `s${place}`
  const others = [...new Set(place === 0 ? [] : after.map((other) => `s${other % place}`))]
  const isList = kind === 'items' || kind === 'charges' || kind === 'children'
  const what = `{{params.run}}-${id}${isList ? '.{{index}}' : ''}`
  const isChild = kind === 'child' || kind === 'children'
  const isUndone = flags.isUndone && (kind === 'write' || kind === 'charge')
  return {
    id,
    ...(Object.hasOwn(operationOf, kind) && {
      operation: `shop.${operationOf[kind as keyof typeof operationOf]}`,
      input: { what },
    }),
    ...(isChild && { workflow: 'child', input: { run: what } }),
    ...(kind === 'sleep' && { sleep: ms }),
    ...((kind === 'event' || kind === 'noEvent') && {
      waitFor: { event: kind, correlation: what, timeoutMs: kind === 'event' ? 3_600_000 : ms },
    }),
    ...(isList && { forEach: '{{params.items}}', concurrency }),
    ...(when !== undefined && { when }),
    ...(attempts > 1 && { retry: { maxAttempts: attempts, backoffMs } }),
    ...(flags.ignores && { onError: 'continue' as const }),
    ...(isUndone && { compensate: { operation: 'shop.write', input: { what: `${what}-undo` } } }),
    after: others,
  }
}

export const workflows: fc.Arbitrary<Workflow> = fc.array(step, { minLength: 2, maxLength: 6 }).map((steps) => ({
  steps: steps.map(stepOf),
  output: { last: `{{steps.s${steps.length - 1}.output}}` },
}))

/** What the workflow `child` does. */
export const child = { steps: [{ id: 'one', operation: 'shop.write', input: { what: '{{params.run}}' } }] }

/** The params of a run. */
export const paramsOf = (run: string) => ({ run, yes: true, no: false, items: ['a', 'b'] })

/** Whether the operation does it, at the n-th invocation: most do, some at the second one, some never. */
export function succeeds(path: string, nth: number): boolean {
  const fate = Number(Bun.hash.crc32(path)) % 10
  // a charge that is repeated may be its first request, and a read does not say which invocation it is of
  const isSteady = /charge|read|approved/.test(path)
  return fate > 2 || (fate === 2 && (isSteady || nth > 1))
}
