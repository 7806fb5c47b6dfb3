/**
 * The cost of background work for others: run starts while the server removes a Project, sweeps expired data, or copies
 * its write-ahead log, and beside scrapes and large lists; as a ratio to the same server idle.
 */
import { Database } from 'bun:sqlite'
import { cpSync } from 'node:fs'
import type { Plan } from '../compare.ts'
import { send } from '../environments.ts'
import { Connection, requestBytes } from '../http-client.ts'
import { load, median } from '../load.ts'
import type { Row } from '../report.ts'
import { seedStore } from '../seed.ts'
import { freshFolder, removeFolder, type Server, startTroupe, storePath } from '../server.ts'
import { runsPath, same, startBytes } from '../troupe.ts'

const clients = 8
const ratioMax = 2

/** The interval of sweeps here. */
const sweepIntervalMs = 500
const sweepBegins = () => Bun.sleep(2 * sweepIntervalMs)

interface Work {
  what: string
  /** The settings of its server. */
  settings?: Record<string, string>
  /** Starts the work, which ends by itself or on request. */
  begin(server: Server, folder: string): Promise<() => Promise<void> | void>
}

/** Changes the store from outside, before the measurement. */
function inStore(folder: string, sql: string, ...values: string[]) {
  const database = new Database(storePath(folder))
  database.run('pragma busy_timeout = 5000')
  database.run(sql, values)
  database.close()
}

/** Repeats a request, with pauses, until told to stop. */
function repeating(server: Server, bytes: Uint8Array, { status: expected = 200, pauseMs = 0 } = {}) {
  let isOver = false
  const done = (async () => {
    const connection = await Connection.open(server.port)
    while (!isOver) {
      const { status } = await connection.request(bytes)
      if (status !== expected) throw new Error(`Answered ${status} instead of ${expected}.`)
      if (pauseMs > 0) await Bun.sleep(pauseMs)
    }
    connection.close()
  })()
  return () => {
    isOver = true
    return done
  }
}

const asking = (server: Server, path: string) => repeating(server, requestBytes('GET', path, { key: server.key }))

const works: Work[] = [
  {
    what: 'the removal of a Project',
    async begin(server, folder) {
      const { id } = await send(server, 'POST', '/api/v1/projects', { slug: 'doomed', name: 'Doomed' })
      inStore(folder, "update runs set project_id = ? where state in ('completed', 'failed')", id)
      await send(server, 'DELETE', `/api/v1/projects/${id}`, {})
      return () => {}
    },
  },
  {
    what: 'the cancels of live runs',
    async begin(server, folder) {
      const { id } = await send(server, 'POST', '/api/v1/projects', { slug: 'doomed', name: 'Doomed' })
      // those started while it was idle
      inStore(folder, "update runs set project_id = ? where state = 'queued'", id)
      await send(server, 'DELETE', `/api/v1/projects/${id}`, {})
      return () => {}
    },
  },
  {
    what: 'the sweep of the content of runs',
    async begin(_, folder) {
      inStore(folder, "update runs set retention_expires_at = 1, updated_at = 1 where state in ('completed', 'failed')")
      await sweepBegins()
      return () => {}
    },
  },
  {
    what: 'the sweep of ended runs',
    settings: { TROUPE_RUN_RETENTION_DAYS: '1' },
    async begin(_, folder) {
      inStore(folder, "update runs set updated_at = 1 where state in ('completed', 'failed')")
      await sweepBegins()
      return () => {}
    },
  },
  {
    what: 'a log that a long reader has kept',
    async begin(server, folder) {
      const reader = new Database(storePath(folder), { readonly: true })
      reader.run('begin')
      reader.query('select count(*) from projects').get()
      await load({ port: server.port, clients: 32, durationMs: 4_000 }, same(startBytes(server.key, 'x'.repeat(4_000))))
      reader.run('rollback')
      reader.close()
      return () => {}
    },
  },
  { what: 'scrapes of /metrics', begin: async (server) => asking(server, '/metrics') },
  { what: 'lists of 100 runs', begin: async (server) => asking(server, `${runsPath}?limit=100`) },
  {
    what: 'creations whose name is taken',
    async begin(server) {
      const { id } = await send(server, 'POST', '/api/v1/projects', { slug: 'named', name: 'Named' })
      const definitions = `/api/v1/projects/${id}/definitions`
      const body = { name: 'taken', kind: 'operations' }
      await send(server, 'POST', definitions, body)
      // each is refused at its commit; as many as the default rate limit allows
      const bytes = requestBytes('POST', definitions, { key: server.key, body })
      return repeating(server, bytes, { status: 409, pauseMs: 10 })
    },
  },
]

export async function beside(plan: Plan): Promise<Row[]> {
  const seeded = freshFolder()
  const { key } = await seedStore(seeded, plan.quick ? 1_000 : 20_000)
  const rows: Row[] = []
  for (const work of works) {
    const rounds: { idle: number; busy: number }[] = []
    for (let round = 0; round < plan.rounds; round += 1) rounds.push(await once(plan, work, seeded, key))
    const [idle, busy] = [median(rounds.map((round) => round.idle)), median(rounds.map((round) => round.busy))]
    const ratio = median(rounds.map((round) => round.busy / round.idle))
    rows.push({
      what: `admission beside ${work.what}, ${clients} clients`,
      p99Ms: busy,
      value: `p99 ${busy.toFixed(1)} ms, idle ${idle.toFixed(1)} ms: ${ratio.toFixed(1)} times`,
      aim: `≤ ${ratioMax} times`,
      met: ratio <= ratioMax,
    })
  }
  removeFolder(seeded)
  return rows
}

/** The p99 of an idle server, then beside the work; with a server for each, since the work consumes its data. */
async function once(plan: Plan, work: Work, seeded: string, key: string): Promise<{ idle: number; busy: number }> {
  const folder = freshFolder()
  cpSync(seeded, folder, { recursive: true })
  const settings = { TROUPE_RUNNER: 'none', TROUPE_SWEEP_INTERVAL_MS: String(sweepIntervalMs), ...work.settings }
  const server = await startTroupe({ folder, key, settings })
  const options = { port: server.port, clients, durationMs: plan.roundMs }
  const operation = same(startBytes(key, 'How are you?'))
  try {
    await load({ ...options, durationMs: 500 }, operation)
    const idle = await load(options, operation)
    const end = await work.begin(server, folder)
    const busy = await load(options, operation)
    await end()
    return { idle: idle.p99Ms, busy: busy.p99Ms }
  } finally {
    await server.stop()
    removeFolder(folder)
  }
}
