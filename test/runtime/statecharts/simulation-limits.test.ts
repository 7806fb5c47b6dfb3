/** The limits of a simulation: of its steps, and of what it shows. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

interface Answered {
  steps: Record<string, unknown>[]
  complete: boolean
}

async function ofMachine(kind: string, request: object): Promise<Answered> {
  const response = await world.post(`/api/v1/machines/${kind}/simulate`, JSON.stringify(request))
  return ((await response.json()) as { data: Answered }).data
}

test('endless deadlines end at the limit', async () => {
  const data = await ofMachine('deletion', {
    at: '2030-01-01T00:00:00.000Z',
    steps: [{ waitMs: 315_360_000_000 }, { event: 'delete' }],
  })
  expect([data.complete, data.steps.length]).toEqual([false, 200])
  expect(data.steps.at(-1)).toMatchObject({ step: 0, cause: 'deadline', event: 'lookAgain', to: 'draining' })
})

test('growing changes end at the limit', async () => {
  const toOpen = [{ event: 'submit' }, { event: { type: 'approve', tags: ['ready'] } }]
  const scribbles = Array.from({ length: 40 }, () => ({ event: 'scribble' }))
  const steps = [...toOpen, ...scribbles]
  const data = await ofMachine('ticket', { context: { lines: ['x'.repeat(50_000)] }, steps })
  expect(data.complete).toBe(false)
  expect(data.steps.length).toBeLessThan(12)
  expect((await ofMachine('ticket', { context: { lines: ['x'] }, steps })).complete).toBe(true)
})

test('an event that would make the context too large to be shown is refused', async () => {
  const id = 'x'.repeat(25_000)
  const data = await ofMachine('workflow-run', {
    context: {
      plan: [{ id, operation: null, after: [], maxAttempts: 1, backoffMs: 0, continues: false, concurrency: 1 }],
      steps: [{ state: 'running', attempts: 1, tries: 1, retryAt: null }],
    },
    steps: [
      { event: { type: 'counted', stepId: id, attempt: 1, count: 1_000 } },
      { event: { type: 'cancel' }, assume: { nothingOutstanding: true } },
    ],
  })
  const [, counted, cancel] = data.steps
  expect(counted).toMatchObject({ accepted: false, refusal: { status: 422, code: 'validation_failed' }, changes: {} })
  expect(cancel).toMatchObject({ accepted: true, to: 'canceled' })
})
