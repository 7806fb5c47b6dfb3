/**
 * Attempts that two servers prepare for the same run: only the one that follows from the run as it is may begin, with
 * the checkpoint of the attempt before it. Source: contract 5, "Runner protocol"; scale-out, "Runs".
 */
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunContext } from '../../../machines/run.ts'
import { EmbeddedLeases } from '../../../src/platform/leases/embedded.ts'
import { LeasesUnavailable } from '../../../src/platform/leases/leases.ts'
import { ownRunner } from '../../../src/runs/attempts/leasing/claims.ts'
import type { GivenLease } from '../../../src/runs/attempts/leasing/leasing.ts'
import { type RunRecord, runAddress } from '../../../src/runs/record.ts'
import { StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import type { Store } from '../../../storage/store.ts'
import { admission } from '../../machines/run/runs.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { addOrganization, admitRun, startAttempts } from './support/attempts-world.ts'

type Server = Awaited<ReturnType<typeof startAttempts>>

let folder: string
let store: Store
let clock: ManualClock
let leases: EmbeddedLeases
let one: Server
let other: Server
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-prepared-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(1_800_000_000_000)
  await addOrganization(store, clock.now())
  leases = new EmbeddedLeases(() => clock.now())
  one = await startAttempts(store, clock, { leases, chance: 1, isShared: true })
  other = await startAttempts(store, clock, { leases, chance: 1, isShared: true })
})
afterEach(async () => {
  one?.stop()
  other?.stop()
  await store?.close()
  await rm(folder, { recursive: true })
})

const startRun = () => admitRun(one.actors, clock.now())

async function prepare({ attempts }: Server, machineId: string, waitSeconds = 1) {
  attempts.queue.look('org_a')
  const given = await attempts.leasing.lease({ machineId, waitSeconds })
  if (!given) throw new Error('No run is available.')
  return given
}

const refusalOf = (given: GivenLease): Promise<unknown> =>
  given.begin().then(
    () => 'none',
    (error) => error,
  )

const contextOf = async ({ actors }: Server, id: string) => {
  const actor = await actors.read<RunRecord, RunContext>(runAddress(id))
  return { state: actor?.state, ...actor?.context }
}

test('an attempt does not begin after another server gave out one and got it back', async () => {
  const id = await startRun()
  const outdated = await prepare(one, 'a')
  const given = await prepare(other, 'b')
  await given.begin()
  await given.giveUp()

  expect(await refusalOf(outdated)).toBeInstanceOf(StaleAttempt)
  expect(await contextOf(one, id)).toMatchObject({ state: 'queued', attempt: 1, lease: null })
  expect(one.attempts.sessions.size).toBe(0)

  // the server that lost the race offers the run again, without waiting for a look at the store
  const next = await one.attempts.leasing.lease({ machineId: 'a', waitSeconds: 0 })
  expect(next?.assignment.attempt).toBe(2)
  await next?.begin()
  expect(await contextOf(one, id)).toMatchObject({ state: 'starting', attempt: 2 })
})

test('an attempt does not begin for a message that came while it was prepared', async () => {
  const id = await startRun()
  const outdated = await prepare(one, 'a')
  await one.actors.send(runAddress(id), { type: 'cancel' })
  await one.actors.send(runAddress(id), { type: 'continue', input: { query: 'again', contents: [] }, ...admission })

  expect(await refusalOf(outdated)).toBeInstanceOf(StaleAttempt)
  const next = await one.attempts.leasing.lease({ machineId: 'a', waitSeconds: 0 })
  expect(next?.assignment).toMatchObject({ attempt: 1, chain: 2 })
})

test('a cancel reaches the attempt of a run for which another one could not begin', async () => {
  await startRun()
  const outdated = await prepare(one, 'a')
  const { claims, begin } = await prepare(other, 'b')
  await begin()
  // a report of the attempt has arrived here
  await one.attempts.sessions.find(claims)
  const signals: string[] = []
  one.attempts.sessions.listen(claims.attemptId, (signal) => signals.push(signal))

  expect(await refusalOf(outdated)).toBeInstanceOf(StaleAttempt)
  await one.actors.send(runAddress(claims.agentRunId), { type: 'cancel' })
  expect(signals).toEqual(['cancel'])
})

test('a run for which no lease could be had, since leases were unavailable, is given out later', async () => {
  const id = await startRun()
  const acquire = spyOn(leases, 'acquireAny').mockRejectedValueOnce(new LeasesUnavailable('closed'))
  await expect(prepare(one, 'a')).rejects.toBeInstanceOf(LeasesUnavailable)
  acquire.mockRestore()
  const next = await one.attempts.leasing.lease({ machineId: 'a', waitSeconds: 0 })
  expect(next?.claims.agentRunId).toBe(id)
})

test('a run that another server lost is not leased before its back-off has ended', async () => {
  const id = await startRun()
  // the run is in the queue of both servers
  await one.attempts.leasing.leaseBegun({ machineId: 'a', waitSeconds: 0 }, new AbortController().signal, ownRunner)
  const { lease } = await contextOf(one, id)
  const cause = { code: 'lease_lost', message: 'The lease of the machine was lost.' }
  other.attempts.queue.offer(id, 'org_a', clock.now())
  await one.actors.send(runAddress(id), { type: 'attemptLost', fencingToken: lease?.fencingToken, cause })
  const { availableAt = 0 } = await contextOf(one, id)
  expect(availableAt).toBeGreaterThan(clock.now())

  let early: unknown
  void other.attempts.leasing.lease({ machineId: 'b', waitSeconds: 0 }).then((given) => {
    early = given
  })
  while (early === undefined) await clock.advance(0)
  expect(early).toBeNull()
  await clock.advance(availableAt - clock.now() + 10)
  expect((await prepare(other, 'b')).assignment.attempt).toBe(2)
})
