/**
 * Attempts that are alive without progress, and attempts that are not alive: hours of them, on a manual clock. Source:
 * contract 5, "beats without step activity".
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunContext } from '../../../machines/run.ts'
import type { AttemptClaims } from '../../../src/platform/http/guard/caller.ts'
import { ownRunner } from '../../../src/runs/attempts/leasing/claims.ts'
import { type RunRecord, runAddress } from '../../../src/runs/record.ts'
import { StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { addOrganization, admitRun, startAttempts } from './support/attempts-world.ts'

const second = 1_000
const beatMs = 10 * second
let folder: string
let store: Store
let clock: ManualClock
let server: Awaited<ReturnType<typeof startServer>>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-liveness-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(1_800_000_000_000)
  await addOrganization(store, clock.now())
  server = await startServer()
})
afterEach(async () => {
  server?.stop()
  await store?.close()
  await rm(folder, { recursive: true })
})

/** Starting another server stops the first. */
const startServer = () => startAttempts(store, clock)
const startRun = (maxRetries?: number) => admitRun(server.actors, clock.now(), maxRetries)

async function leased(machineId: string): Promise<AttemptClaims> {
  const request = { machineId, waitSeconds: 0 }
  const given = await server.attempts.leasing.leaseBegun(request, new AbortController().signal, ownRunner)
  if (!given) throw new Error('There was no work.')
  return given.claims
}
async function running(machineId = 'm'): Promise<AttemptClaims> {
  const claims = await leased(machineId)
  await server.attempts.attemptReports.boot(claims)
  return claims
}
const runOf = async (id: string) => {
  const actor = await server.actors.read<RunRecord, RunContext>(runAddress(id))
  return { state: actor?.state, cause: actor?.context.cause?.message, attempt: actor?.context.attempt }
}
/** Lets time pass while the runner sends heartbeats; returns after how many seconds it learned that it is stale. */
async function beatFor(claims: AttemptClaims, seconds: number): Promise<number | null> {
  for (let passed = 0; passed < seconds; passed += beatMs / second) {
    await clock.advance(beatMs)
    try {
      await server.attempts.attemptReports.heartbeat(claims)
    } catch (error) {
      expect(error).toBeInstanceOf(StaleAttempt)
      return passed + beatMs / second
    }
  }
  return null
}

test('an attempt that only sends heartbeats is lost after 300 s, and its run is queued', async () => {
  const id = await startRun()
  const claims = await running()
  expect(await beatFor(claims, 290)).toBeNull()
  expect(await runOf(id)).toMatchObject({ state: 'running' })
  expect(await beatFor(claims, 60)).toBeLessThanOrEqual(40)
  expect(await runOf(id)).toMatchObject({ state: 'queued', cause: expect.stringContaining('reports no progress') })
  expect(server.attempts.sessions.size).toBe(0)
  expect(server.attempts.lost).toBe(1)
})

test('an attempt with occasional progress is not lost', async () => {
  const id = await startRun()
  const claims = await running()
  for (let steps = 0; steps < 5; steps += 1) {
    expect(await beatFor(claims, 250)).toBeNull()
    await server.attempts.attemptReports.startStep(claims, { kind: 'model', name: 'sandbox', input: null })
  }
  expect(await runOf(id)).toMatchObject({ state: 'running', attempt: 1 })
})

test('an attempt that only sends heartbeats is also found after a restart of the server', async () => {
  const id = await startRun()
  const claims = await running()
  server.stop()
  server = await startServer()
  expect(await beatFor(claims, 290)).toBeNull()
  expect(await beatFor(claims, 60)).not.toBeNull()
  expect(await runOf(id)).toMatchObject({ state: 'queued' })
})

test('a silent runner loses its attempt within a lease and a sweep', async () => {
  const id = await startRun()
  await running()
  await clock.advance(29 * second)
  expect(await runOf(id)).toMatchObject({ state: 'running' })
  await clock.advance(12 * second)
  expect(await runOf(id)).toMatchObject({ state: 'queued', cause: 'The lease of the machine was lost.' })
  expect(server.attempts.sessions.size).toBe(0)
})

test('a silent runner loses its attempt even if its machine has begun another one', async () => {
  await clock.advance(5 * second)
  const silent = await startRun()
  await running()
  // between two sweeps, and after the end of the lease
  await clock.advance(31 * second)
  const next = await startRun()
  expect((await running()).agentRunId).toBe(next)
  await clock.advance(10 * second)
  expect(await runOf(silent)).toMatchObject({ state: 'queued', cause: 'The lease of the machine was lost.' })
  expect(await runOf(next)).toMatchObject({ state: 'running', attempt: 1 })
})

test('an attempt that sends heartbeats and never boots ends after 60 s', async () => {
  const id = await startRun(0)
  const claims = await leased('m')
  expect(await beatFor(claims, 50)).toBeNull()
  expect(await beatFor(claims, 30)).not.toBeNull()
  expect(await runOf(id)).toMatchObject({ state: 'failed' })
})

test('the memory of attempts is released, even if their runners send no final report', async () => {
  const canceled = await startRun()
  await running('a')
  await server.actors.send(runAddress(canceled), { type: 'cancel' })
  const unbooted = await startRun(0)
  await leased('b')
  const silent = await startRun(0)
  await running('c')
  expect(server.attempts.sessions.size).toBe(3)
  await clock.advance(200 * second)
  expect(await Promise.all([canceled, unbooted, silent].map(async (id) => (await runOf(id)).state))).toEqual([
    'canceled',
    'failed',
    'failed',
  ])
  expect(server.attempts.sessions.size).toBe(0)
})

test('after a restart the attempts of dead machines end at once, all others keep their slot for a lease', async () => {
  const [gone, alive, dead] = [await startRun(), await startRun(), await startRun()]
  await running('gone')
  const claims = await running('alive')
  await running('dead')
  server.stop()
  await clock.advance(second)
  server = await startServer()
  expect(await runOf(gone)).toMatchObject({ state: 'queued' })
  expect(await runOf(alive)).toMatchObject({ state: 'running' })
  expect(await runOf(dead)).toMatchObject({ state: 'running' })
  // The machine has one slot, and holds it.
  await expect(leased('alive')).rejects.toThrow('There was no work.')
  await clock.advance(20 * second)
  await server.attempts.attemptReports.heartbeat(claims)
  await clock.advance(22 * second)
  expect(await runOf(dead)).toMatchObject({ state: 'queued' })
  expect(await runOf(alive)).toMatchObject({ state: 'running', attempt: 1 })
  expect(server.errors).toEqual([])
})

test.each([40, 3_000, -3_000])('a clock that jumps by %d s costs no attempt', async (seconds) => {
  const id = await startRun(0)
  const claims = await running()
  await beatFor(claims, 20)
  await clock.jump(seconds * second)
  expect(await runOf(id)).toMatchObject({ state: 'running', attempt: 1 })
  expect(await beatFor(claims, 60)).toBeNull()
  expect(await runOf(id)).toMatchObject({ state: 'running', attempt: 1 })
  expect(server.attempts.lost).toBe(0)
})

test.each([
  ['starting', 70],
  ['starting', 7_200],
  ['starting', -7_200],
  ['running', 7_200],
  ['running', -7_200],
])('a run that is %s continues when the clock jumps by %d s, while its runner is alive', async (state, seconds) => {
  const id = await startRun(0)
  const claims = state === 'starting' ? await leased('m') : await running()
  await beatFor(claims, 20)
  await clock.jump(seconds * second)
  expect(await beatFor(claims, 20)).toBeNull()
  expect(await runOf(id)).toMatchObject({ state, attempt: 1 })
  if (state === 'starting') await server.attempts.attemptReports.boot(claims)
  expect(await beatFor(claims, 60)).toBeNull()
  expect(await runOf(id)).toMatchObject({ state: 'running', attempt: 1 })
  expect(server.attempts.lost).toBe(0)
})

test.each(['starting', 'running'])('a run that is %s survives two hours without a server', async (state) => {
  const [alive, dead] = [await startRun(0), await startRun(0)]
  const claims = state === 'starting' ? await leased('alive') : await running('alive')
  await (state === 'starting' ? leased('dead') : running('dead'))
  server.stop()
  await clock.advance(7_200 * second)
  server = await startServer()
  await clock.advance(5 * second)
  expect(await beatFor(claims, 40)).toBeNull()
  expect(await runOf(alive)).toMatchObject({ state, attempt: 1 })
  if (state === 'starting') await server.attempts.attemptReports.boot(claims)
  expect(await beatFor(claims, 60)).toBeNull()
  expect(await runOf(alive)).toMatchObject({ state: 'running', attempt: 1 })
  expect(await runOf(dead)).toMatchObject({ state: 'queued', attempt: 1 })
})

test('a runner that stays silent after the clock jump is still lost, which costs no retry', async () => {
  const id = await startRun(0)
  await running()
  await clock.jump(40 * second)
  await clock.advance(45 * second)
  expect(await runOf(id)).toMatchObject({ state: 'queued', attempt: 1 })
})

test('a runner that falls silent once it was heard after the clock jump costs a retry', async () => {
  const id = await startRun(0)
  const claims = await running()
  await clock.jump(40 * second)
  expect(await beatFor(claims, 20)).toBeNull()
  await clock.advance(45 * second)
  expect(await runOf(id)).toMatchObject({ state: 'failed', cause: 'The lease of the machine was lost.' })
})

test("an attempt that ended with the server's process costs no retry", async () => {
  const id = await startRun(0)
  await running('gone')
  server.stop()
  await clock.advance(second)
  server = await startServer()
  expect(await runOf(id)).toMatchObject({ state: 'queued', attempt: 1 })
})

test('an attempt that nobody took costs no retry', async () => {
  const id = await startRun(0)
  const request = { machineId: 'm', waitSeconds: 0 }
  const given = await server.attempts.leasing.lease(request)
  await given?.begin()
  await given?.giveUp()
  expect(await runOf(id)).toMatchObject({ state: 'queued', attempt: 1 })
  expect((await leased('m')).agentRunId).toBe(id)
})
