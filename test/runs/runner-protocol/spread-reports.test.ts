/**
 * The reports of one attempt to two servers, some of them at once, as by a runner that makes calls in parallel: each
 * server knows what the other has answered. Source: contract 5, "Runner protocol"; scale-out, "Runs".
 */
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AttemptClaims, RunnerRegistration } from '../../../src/platform/http/guard/caller.ts'
import { aborted, type StepPart, type StepRequest } from '../../../src/runs/providers/step.ts'
import { readExecution, readUsage } from '../../../src/runs/records/step-columns.ts'
import { firstPoolId, operatorTokenId } from '../../../storage/runs/first-runner-pool.ts'
import { findRunCounts, listUncounted } from '../../../storage/runs/run-counts.ts'
import { lastFrames } from '../../../storage/runs/runs.ts'
import { getStep, listOpenSteps } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { addOrganization, admitRun, startAttempts } from './support/attempts-world.ts'

const external: RunnerRegistration = {
  poolId: firstPoolId,
  organizationId: null,
  tokenId: operatorTokenId,
  endsAt: Number.POSITIVE_INFINITY,
}
const agentId = 'agt_system_assistant'

async function* silentAfterText({ signal }: StepRequest): AsyncIterable<StepPart> {
  yield { type: 'text', text: 'one two three' }
  await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(aborted())))
}

let folder: string
let store: Store
let clock: ManualClock
let one: Awaited<ReturnType<typeof startAttempts>>
let other: typeof one
let claims: AttemptClaims
/** Answers the report that is in progress at `one`. */
let answer: () => Promise<void>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-spread-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(1_800_000_000_000)
  await addOrganization(store, clock.now())
  const options = { isShared: true, act: async () => ({ result: 'done' }), streamStep: silentAfterText }
  one = await startAttempts(store, clock, options)
  other = await startAttempts(store, clock, options)
  await admitRun(one.actors, clock.now())
  const request = { machineId: 'a', waitSeconds: 0 }
  const given = await one.attempts.leasing.leaseBegun(request, new AbortController().signal, external)
  if (!given) throw new Error('No run is available.')
  claims = given.claims
  await one.attempts.attemptReports.boot(claims)

  const { promise, resolve } = Promise.withResolvers<void>()
  const { sessions } = one.attempts
  const report = sessions.during(await sessions.find(claims), () => promise)
  answer = () => {
    resolve()
    return report
  }
})
afterEach(async () => {
  one?.stop()
  other?.stop()
  await store?.close()
  await rm(folder, { recursive: true })
})

const startedElsewhere = async (kind: 'tool' | 'model', toolCallId: string | null) => {
  const step = { kind, name: 'act', input: {}, ...(toolCallId && { execution: { toolCallId } }) }
  return (await other.attempts.attemptReports.startStep(claims, step)).agentStepId
}

test('an operation is called in a step that began at another server during a report here', async () => {
  await startedElsewhere('tool', 'c1')
  const asked = spyOn(one.attempts.sessions, 'find')
  const calling = one.attempts.operations.call(claims, { agentId, toolName: 'act', toolCallId: 'c1', input: {} })
  while (asked.mock.calls.length === 0) await clock.advance(0)
  await answer()
  expect(await calling).toEqual({ result: 'done' })
})

test('a step that began at another server during a report here ends with its model and its call', async () => {
  const [tool, model] = [await startedElsewhere('tool', 'c1'), await startedElsewhere('model', null)]
  const ending = [tool, model].map((step) =>
    one.attempts.attemptReports.endStep(claims, step, { status: 'waiting', execution: {} }),
  )
  await answer()
  await Promise.all(ending)
  const steps = await store.all(listOpenSteps(store, { runId: claims.agentRunId }))
  const executions = steps.slice(1).map(({ execution }) => readExecution(execution))
  expect(executions).toMatchObject([{ toolCallId: 'c1' }, { provider: 'sandbox', model: 'sandbox' }])
})

test('text is accepted for a step that began at another server during a report here', async () => {
  const agentStepId = await startedElsewhere('model', null)
  const delta = { type: 'step.delta' as const, agentStepId, data: { kind: 'text' as const, text: 'Hi' } }
  const adding = one.attempts.attemptReports.deltas(claims, [delta])
  await answer()
  await adding
  expect((await store.first(lastFrames(store, { runId: claims.agentRunId })))?.frames).toContain('Hi')
})

test('the tokens of a model call count although its step has ended at another server', async () => {
  await answer()
  const agentStepId = await startedElsewhere('model', null)
  const request = { agentStepId, messages: [], tools: [] }
  const reader = (await one.attempts.modelCalls.open(claims, request, new AbortController().signal)).getReader()
  let read = ''
  while (!read.includes('three')) read += new TextDecoder().decode((await reader.read()).value)
  // the runner takes its connection for lost, and goes on with the next step
  await other.attempts.attemptReports.endStep(claims, agentStepId, { status: 'failed' })
  one.attempts.modelCalls.end(claims.fencingToken, agentStepId)
  while (!(await reader.read()).done) {}
  const step = await store.first(getStep(store, { runId: claims.agentRunId, agentStepId }))
  expect(readUsage(step?.token_usage ?? '')).toMatchObject({ outputTokens: 3 })
  expect(one.errors).toEqual([])
  await other.attempts.attemptReports.assertCurrent(claims)
})

test('all that a run stores is counted, whichever server stores it', async () => {
  await answer()
  for (const [index, { attempts }] of [one, other, one, other, one].entries()) {
    const step = { kind: 'tool' as const, name: 'act', input: `${index}`.repeat(1_000) }
    await attempts.attemptReports.startStep(claims, step)
  }
  await other.attempts.attemptReports.complete(claims, { outcome: 'completed', stopReason: 'end_turn', output: 'Hi' })
  const counted = await store.first(findRunCounts(store, { organizationId: 'org_a' }))
  await store.commit([{ sql: 'update runs set counted_bytes = null', parameters: [] }])
  const [stored] = await store.all(listUncounted(store, { limit: 1 }))
  expect(stored?.bytes).toBeGreaterThan(5_000)
  expect(counted?.stored_bytes).toBe(stored?.bytes as number)
})
