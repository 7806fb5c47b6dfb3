/** Attempts whose slots change their owner while the leases are checked. Source: contract 5, "beats without step activity". */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ownRunner } from '../../../src/runs/attempts/leasing/claims.ts'
import { Reaper } from '../../../src/runs/attempts/leasing/reaper.ts'
import { allWork } from '../../../src/runtime/work-share.ts'
import { openStore } from '../../../storage/open.ts'
import { slotOf } from '../../../storage/slots.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { readingBefore } from '../../support/meanwhile.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../../support/services/postgres.ts'
import { addOrganization, admitRun, leaseTtlMs, startAttempts } from './support/attempts-world.ts'

// in SQLite one server owns all slots
describe.skipIf(!postgresIsInstalled())('a server', () => {
  let database: Database
  let store: Store
  let clock: ManualClock
  let server: Awaited<ReturnType<typeof startAttempts>>
  /** The slots of the server that checks. */
  let slots: readonly number[]
  beforeEach(async () => {
    database = await newDatabase()
    store = await openStore(database.address)
    clock = new ManualClock(1_800_000_000_000)
    await addOrganization(store, clock.now())
    server = await startAttempts(store, clock)
    slots = allWork.slots
  })
  afterEach(async () => {
    server?.stop()
    await store?.close()
    await database?.remove()
  })

  const members = {
    ...allWork,
    get slots() {
      return slots
    },
    owns: (id: string) => slots.includes(slotOf(id)),
  }
  /** Checks all leases; `meanwhile` happens after the attempts were read. */
  async function sweep(meanwhile: () => void) {
    const { actors, attempts } = server
    const reaper = new Reaper({
      store: readingBefore(store, 'runs', async () => meanwhile()),
      actors,
      leases: { read: async () => new Map() } as never,
      clock,
      sessions: attempts.sessions,
      leaseTtlMs,
      isGone: () => false,
      members,
      onLoss: () => {},
      onError: (error) => {
        throw error
      },
    })
    await reaper.sweep()
  }
  /** An attempt that has waited for its model for longer than a lease. */
  async function begun() {
    const id = await admitRun(server.actors, clock.now())
    const request = { machineId: 'm', waitSeconds: 0 }
    const given = await server.attempts.leasing.leaseBegun(request, new AbortController().signal, ownRunner)
    expect(given?.claims.agentRunId).toBe(id)
    const { attemptId } = given!.claims
    const session = [...server.attempts.sessions.all()].find(({ claims }) => claims.attemptId === attemptId)
    session!.progressAt -= leaseTtlMs + 1
    return attemptId
  }

  test('keeps the attempts of slots that it gets while it checks its leases', async () => {
    const attemptId = await begun()
    slots = []
    await sweep(() => {
      slots = allWork.slots
    })
    expect(server.attempts.sessions.has(attemptId)).toBe(true)
  })

  test('forgets the ended attempts of its slots', async () => {
    const attemptId = await begun()
    await store.commit([{ sql: "update runs set state = 'failed'", parameters: [] }])
    await sweep(() => {})
    expect(server.attempts.sessions.has(attemptId)).toBe(false)
  })
})
