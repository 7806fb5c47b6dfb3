/** Reads of a run's stored stream while another server commits. Source: contract 5, "Stream"; scale-out, "Precise points". */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AttemptClaims } from '../../../src/platform/http/guard/caller.ts'
import { ownRunner } from '../../../src/runs/attempts/leasing/claims.ts'
import { replay } from '../../../src/runs/stream/replay.ts'
import type { Query, Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { addOrganization, admitRun, startAttempts } from '../runner-protocol/support/attempts-world.ts'

let folder: string
let store: Store
let clock: ManualClock
let server: Awaited<ReturnType<typeof startAttempts>>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-replay-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(1_800_000_000_000)
  await addOrganization(store, clock.now())
  server = await startAttempts(store, clock)
})
afterEach(async () => {
  server?.stop()
  await store?.close()
  await rm(folder, { recursive: true })
})

async function begin(): Promise<AttemptClaims> {
  await admitRun(server.actors, clock.now())
  const request = { machineId: 'a', waitSeconds: 0 }
  const given = await server.attempts.leasing.leaseBegun(request, new AbortController().signal, ownRunner)
  if (!given) throw new Error('No run is available.')
  await server.attempts.attemptReports.boot(given.claims)
  return given.claims
}

const complete = (claims: AttemptClaims) =>
  server.attempts.attemptReports.complete(claims, { outcome: 'completed', stopReason: 'end_turn', output: 'Hi' })

/** The store as read by several connections: what `isLate` reads, it reads after the commit of `meanwhile`. */
function readAround(isLate: (sql: string) => boolean, meanwhile: () => Promise<unknown>): Store {
  const early = Promise.withResolvers<void>()
  const all = async <Row>(query: Query<Row>): Promise<Row[]> => {
    if (!/from "(run_events|transitions)"/.test(query.sql)) return store.all(query)
    if (!isLate(query.sql)) {
      const rows = await store.all(query)
      early.resolve()
      return rows
    }
    await early.promise
    await meanwhile()
    return store.all(query)
  }
  return { db: store.db, all, first: (query: Query<unknown>) => store.first(query) } as unknown as Store
}

const numbers = (frames: readonly { sequence: number }[]) => frames.map(({ sequence }) => sequence)

test.each(['run_events', 'transitions'])(
  'no frame is skipped if %s are read after a commit, the rest before',
  async (table) => {
    const claims = await begin()
    const around = readAround(
      (sql) => sql.includes(`from "${table}"`),
      () => complete(claims),
    )
    const read: number[] = []
    for (let after = 0, from = around; ; from = store) {
      const some = numbers(await replay(from, claims.agentRunId, after))
      if (some.length === 0) break
      read.push(...some)
      after = some.at(-1) as number
    }
    expect(read).toEqual(numbers(await replay(store, claims.agentRunId, 0)))
    expect(read).toEqual(read.map((_, index) => index + 1))
  },
)

test('frames at the end of the stream wait for those before them', async () => {
  const claims = await begin()
  const tail = numbers(await replay(store, claims.agentRunId, 0)).at(-1) as number
  const around = readAround(
    (sql) => sql.includes('from "run_events"'),
    async () => {
      await server.actors.send({ kind: 'run', id: claims.agentRunId }, { type: 'cancel' })
      await complete(claims)
    },
  )
  expect(numbers(await replay(around, claims.agentRunId, tail))).toEqual([])
  expect(numbers(await replay(store, claims.agentRunId, tail))[0]).toBe(tail + 1)
})
