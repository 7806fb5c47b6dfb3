/**
 * A server is killed (SIGKILL) repeatedly at random moments while 32 clients start runs, each of which calls an
 * operation that must not be repeated and a tool. At the end it is checked that nothing acknowledged is lost, that
 * nothing was repeated that must not be, and that the streams are those that readers received. `KILLS` is the number of
 * kills.
 */
import type { Plan } from '../compare.ts'
import { type DeployedEnvironment, deployAgent } from '../environments.ts'
import { until } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { metric, runsPath } from '../troupe.ts'

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
  /** The frames that it has read of the stream, by number, without deltas, which are merged later. */
  seen: Map<number, string>
}

interface Step {
  kind: string
  status: string
  execution: { toolCallId?: string }
}
interface Move {
  sequence: number
  from: string | null
  to: string
}

const operation = {
  name: 'charge',
  description: 'Takes money: once.',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  handler: { type: 'http', connection: 'bank', method: 'POST', path: '/charge/{{input.number}}' },
}

/** The endpoint of the operation; counts its calls, by the run's number. */
function startBank() {
  const asked = new Map<number, number>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const number = Number(new URL(request.url).pathname.split('/').at(-1))
      asked.set(number, (asked.get(number) ?? 0) + 1)
      return Response.json({ charged: number })
    },
  })
  return { asked, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

export async function kills(plan: Plan): Promise<Row[]> {
  const killsMax = Number(process.env.KILLS ?? (plan.quick ? 3 : 40))
  const folder = freshFolder()
  const bank = startBank()
  const settings = { TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_ATTEMPT_BACKOFF_MS: '1', LOG_LEVEL: 'fatal' }
  let server = await startTroupe({ folder, settings })
  const { key } = server
  const place = await deployAgent(server, 'bank', { bank: { operations: [operation] } }, { bank: bank.url })

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
  const problems = await problemsOf(server, started, bank.asked)
  const unmade = started.filter(({ number }) => !bank.asked.has(number)).length
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
      if (!isOver()) for (const [at, frame] of await framesOf(current(), run.id)) run.seen.set(at, frame)
      return
    } catch {
      // the server was killed: clients without an answer retry
      if (started.some((run) => run.key === key)) return
      await Bun.sleep(20)
    }
  }
}

/** The answer's JSON. Throws unless there is one with status 200. */
async function asked<Answer>(
  { port, key: apiKey }: Server,
  path: string,
  { key, body }: { key?: string; body?: object } = {},
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** The frames of a run's stream up to its end, or to the end of the server; without deltas. */
async function framesOf({ port, key }: Server, id: string): Promise<Map<number, string>> {
  const frames = new Map<number, string>()
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`http://127.0.0.1:${port}${runsPath}/${id}/stream?after=0`, { headers })
  let text = ''
  try {
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece
  } catch {
    // the server was killed: what came has come
  }
  const blocks = text.split('\n\n')
  // the last one is empty or incomplete
  for (const block of blocks.slice(0, -1)) {
    const at = Number(/^id: (\d+)$/m.exec(block)?.[1])
    if (at > 0 && !/^event: step\.delta$/m.test(block)) frames.set(at, block)
  }
  return frames
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
      const wrong = await problemOf(server, run).catch((error: Error) => error.message)
      if (wrong) problems.push(`${run.id}: ${wrong}`)
      if ((calls.get(run.number) ?? 0) > 1) problems.push(`${run.id}: its operation was made twice`)
    }
  }
  await Promise.all(Array.from({ length: clients }, checker))
  return problems
}

async function problemOf(server: Server, run: Started): Promise<string | undefined> {
  const path = `${runsPath}/${run.id}`
  const { data } = await asked<{ data: { state: string; stateReason: object | null } }>(server, path)
  if (data.state !== 'completed') return `${data.state}: ${JSON.stringify(data.stateReason)}`
  const moves = await asked<{ data: { items: Move[] } }>(server, `${path}/transitions?limit=100`)
  const { items } = moves.data
  if (items.some(({ sequence }, at) => sequence !== at + 1)) return 'its journal has a gap'
  if (items.some(({ from }, at) => from !== (at === 0 ? null : items[at - 1]?.to))) return 'its journal does not join'
  if (items.filter(({ to }) => to === 'completed').length !== 1) return 'it has not completed once'
  const steps = await asked<{ data: { items: Step[] } }>(server, `${path}/steps?limit=100`)
  const made = steps.data.items.filter(({ kind, status }) => kind === 'tool' && status === 'completed')
  const toolCalls = made.map(({ execution }) => execution.toolCallId)
  if (new Set(toolCalls).size !== toolCalls.length) return 'a tool call completed twice'
  const frames = await framesOf(server, run.id)
  if (![...frames.values()].at(-1)?.includes('event: end')) return 'its stream has no end'
  for (const [at, frame] of run.seen) if (frames.get(at) !== frame) return `frame ${at} of its stream has changed`
  return undefined
}
