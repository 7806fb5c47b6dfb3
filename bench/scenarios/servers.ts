/**
 * One, two and three servers that share a PostgreSQL and a Redis, beside one server on SQLite: admission and whole
 * runs, the lag of streams that are read at another server than the run's, and how long the runs of a killed one stand
 * still. All load is of eight organizations: commits of one organization follow one another, over all servers.
 */
import { type Engines, type Sent, startEngines, startServers } from '../cluster.ts'
import { medians, type Plan } from '../compare.ts'
import { Connection } from '../http-client.ts'
import { each, type Load, load, median, type Operation, percentiles, until, within } from '../load.ts'
import { processorMs } from '../process-tree.ts'
import { loadRow, type Row } from '../report.ts'
import type { Server } from '../server.ts'
import { ask, getJson, lifecycle, runsPath, startBytes, startRun } from '../troupe.ts'
import { readToEnd, untilRunning } from './stream.ts'

const organizations = 8
const clients = 32
const query = 'How are you?'
/** A side is warm once a round costs its servers at most this much less processor time than the round before. */
const warmShare = 0.95
const warmRoundsMax = 8

/** The number of servers; 0: one, on SQLite. */
const sides = [0, 1, 2, 3]
const nameOf = (count: number) => (count === 0 ? 'SQLite' : count === 1 ? '1 server' : `${count} servers`)

interface Work {
  what: string
  settings: Record<string, string>
  operation(key: string): Operation
  /** The aim for one server on PostgreSQL, as a share of SQLite's rate. */
  least?: number
}

const works: Work[] = [
  {
    what: 'admission',
    settings: { TROUPE_RUNNER: 'none' },
    operation(key) {
      const bytes = startBytes(key, query)
      return async (connection) => void (await ask(connection, bytes))
    },
    least: 0.6,
  },
  { what: 'lifecycle', settings: {}, operation: (key) => lifecycle({ key }, query) },
]
/** The aim for two servers, as a multiple of one's rate. */
const twoByOne = 1.6

export async function servers(plan: Plan): Promise<Row[]> {
  const engines = await startEngines()
  try {
    const rows: Row[] = []
    for (const work of works) rows.push(...(await compareAll(engines, plan, work)))
    rows.push(await lagOfStreams(engines, plan), await kill(engines, plan))
    return rows
  } finally {
    await engines.stop()
  }
}

const nothing: Sent = { statements: 0, commands: 0 }

interface Measured extends Load {
  /** Processor time for each operation, in milliseconds: of the servers, and of the database. */
  serversMs: number
  databaseMs: number
  /** What the servers sent for each operation. */
  sent: Sent
}

/** One side after the other: idle servers would use the same processor and the same Redis. */
async function compareAll(engines: Engines, plan: Plan, work: Work): Promise<Row[]> {
  const all: { count: number; rounds: Measured[] }[] = []
  for (const count of sides) all.push({ count, rounds: await roundsOf(engines, plan, work, count) })
  const { what, least } = work
  const [sqlite, one] = all as [(typeof all)[number], (typeof all)[number]]
  return all.map(({ count, rounds }) => {
    const baseline = count <= 1 ? sqlite : one
    const ratio = rateOf(rounds) / rateOf(baseline.rounds)
    const aimed = count === 1 ? least : count === 2 ? twoByOne : undefined
    const serversMs = median(rounds.map((round) => round.serversMs))
    const databaseMs = median(rounds.map((round) => round.databaseMs))
    const statements = median(rounds.map((round) => round.sent.statements))
    const commands = median(rounds.map((round) => round.sent.commands))
    const sent = count > 0 ? `, ${statements.toFixed(1)} statements, ${commands.toFixed(1)} commands to Redis` : ''
    return {
      ...loadRow(`${what}, ${nameOf(count)}, ${clients} clients`, medians(rounds)),
      value: `for each: processor ms of servers ${serversMs.toFixed(2)}, of the database ${databaseMs.toFixed(2)}${sent}`,
      ...(count > 0 && { ratio, baseline: nameOf(baseline.count) }),
      ...(aimed !== undefined && { aim: `≥ ${aimed * 100} %`, met: ratio >= aimed }),
    }
  })
}

const rateOf = (rounds: readonly Measured[]) => median(rounds.map(({ perSecond }) => perSecond))

async function roundsOf(
  engines: Engines,
  plan: Plan,
  { settings, operation }: Work,
  count: number,
): Promise<Measured[]> {
  const options = { organizations, settings, ...(count > 0 && { count }) }
  const side = await startServers(count > 0 ? engines : undefined, options)
  const operations = side.keys.map(operation)
  const next: Operation = (connection, client) =>
    // a client keeps its organization and its server, and each organization uses each server
    (operations[Math.floor(client / Math.max(1, count)) % organizations] as Operation)(connection, client)
  const port = side.servers.map((server) => server.port)
  const pids = side.servers.map(({ pid }) => pid)
  const used = () => [processorMs(pids), processorMs([engines.postgres.pid])] as const
  const sent = () => (side.database === undefined ? nothing : engines.sent(side.database))
  const measure = async (): Promise<Measured> => {
    const [sentBefore, before] = [await sent(), used()]
    const loaded = await load({ port, clients, durationMs: plan.roundMs }, next)
    const [after, { statements, commands }] = [used(), await sent()]
    // those that ended after the time, too: the servers have worked for them
    const each = (value: number, valueBefore: number) => (value - valueBefore) / loaded.count
    return {
      ...loaded,
      serversMs: each(after[0], before[0]),
      databaseMs: each(after[1], before[1]),
      sent: { statements: each(statements, sentBefore.statements), commands: each(commands, sentBefore.commands) },
    }
  }
  // warm up
  let last = Number.POSITIVE_INFINITY
  for (let round = 0; round < (plan.quick ? 1 : warmRoundsMax); round += 1) {
    const { serversMs } = await measure()
    if (serversMs > last * warmShare) break
    last = serversMs
  }
  const rounds: Measured[] = []
  for (let round = 0; round < plan.rounds; round += 1) rounds.push(await measure())
  await side.stop()
  return rounds
}

const lagAimMs = 100

/** Runs that stream every 20 ms at one server, read at the two others. */
async function lagOfStreams(engines: Engines, plan: Plan): Promise<Row> {
  const readers = plan.quick ? 4 : 20
  const turns = plan.quick ? 20 : 150
  const { servers: all, keys, stop } = await startServers(engines, { count: 3, organizations: 1 })
  const [key = ''] = keys
  const [home, ...others] = all.map((server) => ({ ...server, key })) as [Server, ...Server[]]
  const starter = await Connection.open(home.port)
  const speech = Array(turns).fill('/tokens 5\n/sleep 20').join('\n')
  const id = await startRun(starter, startBytes(key, `/sleep 3000\n${speech}`))
  await untilRunning(home, id)
  const connections = await Promise.all(
    Array.from({ length: readers }, async (_, reader) => {
      const server = others[reader % others.length] as Server
      return { server, connection: await Connection.open(server.port) }
    }),
  )
  const readings = await within(
    90_000,
    'the streams',
    Promise.all(connections.map(({ server, connection }) => readToEnd(connection, server, id))),
  )
  for (const { connection } of [{ connection: starter }, ...connections]) connection.close()
  await stop()
  const lags = readings.flatMap(({ lagsMs }) => lagsMs)
  const [p50Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(lags, [0.5, 0.99])
  return {
    what: `stream at another server than its run's, ${readers} readers: lag`,
    p50Ms,
    p99Ms,
    value: `${lags.length.toLocaleString('en-US')} events, none missed`,
    aim: `p99 < ${lagAimMs} ms`,
    met: p99Ms < lagAimMs,
  }
}

const goOnAimMs = 20_000

/** Three servers with equally many runs; one is killed, and its runs continue at the others. */
async function kill(engines: Engines, plan: Plan): Promise<Row> {
  const runs = plan.quick ? 3 : 20
  const { servers: all, keys, stop } = await startServers(engines, { count: 3, organizations: 1 })
  const [key = ''] = keys
  const [killed, ...others] = all.map((server) => ({ ...server, key })) as [Server, ...Server[]]
  const ids: string[] = []
  // each server executes what it has admitted itself
  for (const { port } of [killed, ...others])
    await each(port, 4, Array(runs).fill(startBytes(key, '/sleep 45000\n/say Done')), async (connection, bytes) => {
      ids.push(await startRun(connection, bytes))
    })
  const [other] = others as [Server]
  const attempts = () =>
    Promise.all(
      ids.map(async (id) => {
        const { data } = await getJson<{ data: { state: string; attempt: number } }>(other, `${runsPath}/${id}`)
        return data
      }),
    )
  const areRunning = async () => (await attempts()).every(({ state }) => state === 'running')
  await until('runs that are at work', 30_000, areRunning, 50)
  const killedAt = performance.now()
  await killed.stop('SIGKILL')
  // its own runs were not ended, so that they count as running until they have lost their attempt
  await until(
    'runs that go on',
    120_000,
    async () => (await attempts()).filter(({ attempt }) => attempt > 1).length >= runs && (await areRunning()),
    50,
  )
  const ms = performance.now() - killedAt
  await stop()
  return {
    what: `kill -9 of one of three servers, ${runs} runs at each: until all go on`,
    value: `${(ms / 1_000).toFixed(1)} s`,
    aim: `≤ ${goOnAimMs / 1_000} s`,
    met: ms <= goOnAimMs,
  }
}
