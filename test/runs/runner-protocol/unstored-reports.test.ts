/** Reports that could not be stored, and are repeated. Source: contract 5, "Runner protocol". */
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AttemptClaims } from '../../../src/platform/http/guard/caller.ts'
import { ownRunner } from '../../../src/runs/attempts/leasing/claims.ts'
import { selectCheckpoint } from '../../../src/runs/records/checkpoints.ts'
import type { CheckpointReport, StepDelta } from '../../../src/runs/runner/protocol/protocol.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { addOrganization, admitRun, startAttempts } from './support/attempts-world.ts'

let folder: string
let store: Store
let server: Awaited<ReturnType<typeof startAttempts>>
let claims: AttemptClaims
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-unstored-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  const clock = new ManualClock(1_800_000_000_000)
  await addOrganization(store, clock.now())
  server = await startAttempts(store, clock)
  await admitRun(server.actors, clock.now())
  const request = { machineId: 'a', waitSeconds: 0 }
  const given = await server.attempts.leasing.leaseBegun(request, new AbortController().signal, ownRunner)
  if (!given) throw new Error('No run is available.')
  claims = given.claims
  await server.attempts.attemptReports.boot(claims)
})
afterEach(async () => {
  server?.stop()
  await store?.close()
  await rm(folder, { recursive: true })
})

const reports = () => server.attempts.attemptReports
const begin = async () =>
  (await reports().startStep(claims, { kind: 'model', name: 'sandbox', input: null })).agentStepId

/** The store is unavailable for the commit of the report. */
async function failed(report: () => Promise<unknown>) {
  const commit = spyOn(store, 'commit').mockRejectedValueOnce(new StoreUnavailable('locked'))
  try {
    await expect(report()).rejects.toMatchObject({ code: 'store_unavailable' })
  } finally {
    commit.mockRestore()
  }
}

test('a checkpoint is not based on one that was not stored', async () => {
  const agentStepId = await begin()
  const [first, second, third] = [1, 2, 3].map((count): CheckpointReport => {
    const messages = Array.from({ length: count }, (_, at) => ({ role: 'user' as const, content: `message ${at}` }))
    return {
      kind: 'step',
      runtimeCheckpoint: { version: 1, chain: 1, stepCount: count, pendingToolCalls: [], messages },
    }
  }) as [CheckpointReport, CheckpointReport, CheckpointReport]
  await reports().checkpoint(claims, agentStepId, first)
  await failed(() => reports().checkpoint(claims, agentStepId, second))
  for (const report of [second, third]) {
    await reports().checkpoint(claims, agentStepId, report)
    const damages: unknown[] = []
    const latest = await selectCheckpoint(store, claims.agentRunId, (damage) => damages.push(damage))
    expect([latest?.runtimeCheckpoint, damages]).toEqual([report.runtimeCheckpoint, []])
  }
})

test('a step whose end was not stored is still open, and its text goes on', async () => {
  const agentStepId = await begin()
  const delta: StepDelta = { type: 'step.delta', agentStepId, data: { kind: 'text', text: 'hi' } }
  const end = () => reports().endStep(claims, agentStepId, { status: 'completed', output: 'hi' })
  await failed(end)
  await reports().deltas(claims, [delta])
  await end()
  await expect(reports().deltas(claims, [delta])).rejects.toMatchObject({ status: 422 })
})
