/**
 * A server is killed (SIGKILL) repeatedly at random moments while 32 clients start runs, each of which calls an
 * operation that must not be repeated and a tool. At the end it is checked that nothing acknowledged is lost, that
 * nothing was repeated that must not be, and that the streams are those that readers received. `KILLS` is the number of
 * kills. With `SERVERS` above 1 that many servers share PostgreSQL and Redis, and all of them fail at random.
 */
import type { Plan } from '../compare.ts'
import { type DeployedEnvironment, deployAgent } from '../environments.ts'
import { operations, startBank } from '../faults/bank.ts'
import { asked, type Frames, readStream } from '../faults/requests.ts'
import { endedRun, problemOf } from '../faults/run-checks.ts'
import { until } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { metric, runsPath } from '../troupe.ts'
import { faultsOfSeveral } from './several-faults.ts'

const clients = 32
/** A process is killed some milliseconds after it has acknowledged at most this many starts. */
const startsMax = 32
const lifeMsMax = 50
const patienceMs = 600_000

/** What a client knows of a run that it started. */
interface Started {
  key: string
  number: number
  id: string
  /** The frames that it has read of the stream. */
  seen: Frames
}

export async function kills(plan: Plan): Promise<Row[]> {
  const servers = Number(process.env.SERVERS ?? 1)
  return servers === 1 ? killsOfOne(plan) : faultsOfSeveral(plan, servers)
}

async function killsOfOne(plan: Plan): Promise<Row[]> {
  const killsMax = Number(process.env.KILLS ?? (plan.quick ? 3 : 40))
  const folder = freshFolder()
  const bank = startBank()
  const settings = { TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_ATTEMPT_BACKOFF_MS: '1', LOG_LEVEL: 'fatal' }
  let server = await startTroupe({ folder, settings })
  const { key } = server
  const place = await deployAgent(server, 'bank', { bank: { operations } }, { bank: bank.url })

  const started: Started[] = []
  let isOver = false
  let next = 0
  const client = async () => {
    while (!isOver) {
      next += 1
      await startOne(
        () => server,
        place,
        next,
        started,
        () => isOver,
      )
    }
  }
  const working = Promise.all(Array.from({ length: clients }, client))
  for (let count = 0; count < killsMax; count += 1) {
    const enough = started.length + Math.floor(Math.random() * startsMax)
    await until('so many starts', patienceMs, async () => started.length >= enough, 1)
    await Bun.sleep(Math.random() * lifeMsMax)
    await server.stop('SIGKILL')
    server = await startTroupe({ folder, key, settings })
  }
  isOver = true
  await working
  const runs = started.length
  await until('the end of all runs', patienceMs, async () => (await ended(server)) >= runs, 200)
  const problems = await problemsOf(server, started, bank.charges)
  const unmade = started.filter(({ number }) => !bank.charges.has(number)).length
  await server.stop()
  bank.stop()
  removeFolder(folder)
  if (problems.length > 0) throw new Error(`${problems.length} of ${runs} runs:\n${problems.slice(0, 20).join('\n')}`)
  return [
    {
      what: `kill -9 at ${killsMax} random moments, ${clients} clients that start runs`,
      value: `${runs.toLocaleString('en-US')} runs acknowledged: none lost, none twice, no call made twice that must not be (${unmade} not made, and reported as unknown)`,
    },
  ]
}

/** Runs that have ended, in any state. */
async function ended(server: Server): Promise<number> {
  let count = 0
  for (const state of ['completed', 'failed'])
    count += await metric(server, `troupe_runs{state="${state}"}`).catch(() => 0)
  return count
}

/** Starts a run with a unique key until it is acknowledged, and reads its stream as far as possible. */
async function startOne(
  current: () => Server,
  { agentId, environmentId }: DeployedEnvironment,
  number: number,
  started: Started[],
  isOver: () => boolean,
) {
  const key = `kill-${number}`
  const query = `/call charge {"number":${number}}\n/call calculator {"expression":"${number}+1"}\n/say Done`
  const body = { agentId, environmentId, query, maxRetries: 10 }
  for (;;) {
    try {
      const { data } = await asked<{ data: { id: string } }>(current(), runsPath, { key, body })
      const run: Started = { key, number, id: data.id, seen: new Map() }
      started.push(run)
      if (!isOver()) await readStream(current(), run.id, 0, (at, frame) => run.seen.set(at, frame))
      return
    } catch {
      // the server was killed: clients without an answer retry
      if (started.some((run) => run.key === key)) return
      await Bun.sleep(20)
    }
  }
}

/** The errors, one line for each run. */
async function problemsOf(
  server: Server,
  started: readonly Started[],
  calls: ReadonlyMap<number, number>,
): Promise<string[]> {
  const problems: string[] = []
  const ids = new Set(started.map(({ id }) => id))
  if (ids.size !== started.length) problems.push('Two keys stand for one run.')
  const stored = await ended(server)
  if (stored !== started.length) problems.push(`${stored} runs are stored, ${started.length} were acknowledged.`)
  const queue = started.values()
  const checker = async () => {
    for (const run of queue) {
      const wrong = await wrongOf(server, run).catch((error: Error) => error.message)
      if (wrong) problems.push(`${run.id}: ${wrong}`)
      if ((calls.get(run.number) ?? 0) > 1) problems.push(`${run.id}: its operation was made twice`)
    }
  }
  await Promise.all(Array.from({ length: clients }, checker))
  return problems
}

async function wrongOf(server: Server, run: Started): Promise<string | undefined> {
  const ended = await endedRun(server, run.id)
  if (ended.state !== 'completed') return `${ended.state}: ${JSON.stringify(ended.stateReason)}`
  if (ended.moves.filter(({ to }) => to === 'completed').length !== 1) return 'it has not completed once'
  return problemOf(ended, run.seen)
}
