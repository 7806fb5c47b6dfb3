/**
 * `npm run bench -- --profile admission` (or `lifecycle`, `workers`): the microseconds of one operation by part of the
 * server. The server's thread is sampled under load; each sample counts for the innermost frame that belongs to a part.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load, type Operation, until } from './load.ts'
import { processorUs } from './processor-time.ts'
import type { Row } from './report.ts'
import { callers, startWorking } from './scenarios/workers.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from './server.ts'
import { assistant, lifecycle, same, startBytes } from './troupe.ts'

interface Frame {
  functionName: string
  url: string
}

interface Sampled {
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** Parts of the server by the files of their frames; the first match applies. */
const parts: [part: string, file: RegExp, name?: RegExp][] = [
  // frames of the engine belong to their caller
  ['begin and commit', /storage\/sqlite\/writer/, /^#transaction$/],
  ['SQL statements', /storage\/sqlite\//],
  ['statements filled with values', /storage\//],
  ['decision tables', /src\/runtime\/decisions\/|machines\//],
  ['actors: mailbox, unit of work, effects, timers', /src\/runtime\//],
  ['audit line', /src\/tenancy\/audit\//],
  ['authentication', /src\/tenancy\/authority\//],
  ['guard, body, validation, idempotency', /src\/platform\/http\//],
  ['admission of runs', /src\/runs\/admission\//],
  ['operations and workers', /src\/automation\//],
  ['leasing and reports of attempts', /src\/runs\/attempts\//],
  ['embedded runner', /src\/runs\/runner\//],
  ['model vendors and sandbox', /src\/runs\/providers\//],
  ['streams', /src\/runs\/stream\//],
  ['what a run stores and shows', /src\/runs\//],
  ['history and webhooks', /src\/events\//],
  ['other parts of the server', /src\//],
  ['HTTP framework', /node_modules\/(elysia|memoirist|@sinclair)\//],
  ['other packages', /node_modules\//],
]

/** The maximum number of users: each request for calls returns few. */
const workersProfiled = 100

interface Profiled {
  settings: Record<string, string>
  clients: number
  /** The repeated operation, and how its background work ends. */
  start(server: Server): Promise<{ operation: Operation; stop?(): Promise<void> }>
}

const operations: Record<string, Profiled> = {
  admission: {
    settings: { TROUPE_RUNNER: 'none' },
    clients: 32,
    start: async ({ key }) => ({ operation: same(startBytes(key, 'How are you?', assistant)) }),
  },
  lifecycle: { settings: {}, clients: 32, start: async (server) => ({ operation: lifecycle(server) }) },
  workers: {
    settings: { TROUPE_RUNNER: 'none' },
    clients: callers,
    async start(server) {
      const { invoking, stop } = await startWorking(server, workersProfiled)
      return { operation: invoking('work'), stop }
    },
  },
}

/** The available profiles. */
export const profiles = Object.keys(operations)

const warmUpMs = 4_000
const sampledMs = 6_000

/** A row for each part: microseconds of one operation, and their share. */
export async function profile(name: string): Promise<Row[]> {
  const { settings, clients, start } = operations[name] as Profiled
  const folder = freshFolder()
  const file = join(folder, 'samples.json')
  const server = await startTroupe({
    folder,
    preload: ['sample-on-signal.ts'],
    settings: { SAMPLES_FILE: file, ...settings },
  })
  const { operation, stop } = await start(server)
  try {
    const run = (durationMs: number) => load({ port: server.port, clients, durationMs }, operation)
    await run(warmUpMs)
    process.kill(server.pid, 'SIGUSR2')
    const before = processorUs(server.pid).all
    const { count } = await run(sampledMs)
    const cpuUs = (processorUs(server.pid).all - before) / count
    process.kill(server.pid, 'SIGUSR2')
    await until('the samples', 20_000, async () => Bun.file(file).exists())
    return rowsOf(`${name}, ${clients} clients`, cpuUs, JSON.parse(readFileSync(file, 'utf8')) as Sampled)
  } finally {
    await stop?.()
    await server.stop()
    removeFolder(folder)
  }
}

function rowsOf(name: string, cpuUs: number, sampled: Sampled): Row[] {
  const byPart = timesByPart(sampled)
  const all = [...byPart.values()].reduce((sum, time) => sum + time, 0)
  const rows = [...byPart]
    .sort(([, one], [, other]) => other - one)
    .map(([part, time]) => ({
      what: part,
      value: `${((cpuUs * time) / all).toFixed(1)} µs`,
      ratio: time / all,
      baseline: 'all',
    }))
  return [{ what: `${name}: CPU of the server for one`, value: `${cpuUs.toFixed(1)} µs` }, ...rows]
}

/** Microseconds by part; the rest is the engine's own: its event loop, promises, garbage collection. */
function timesByPart({ nodes, samples, timeDeltas }: Sampled): Map<string, number> {
  const parentOf = new Map<number, number>()
  const frameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  for (const { id, children = [] } of nodes) for (const child of children) parentOf.set(child, id)
  const partOf = (id: number | undefined): string => {
    const frame = id === undefined ? undefined : frameOf.get(id)
    if (!frame) return 'engine: event loop, promises, garbage'
    const found = parts.find(([, file, named]) => file.test(frame.url) && (named?.test(frame.functionName) ?? true))
    return found ? found[0] : partOf(parentOf.get(id as number))
  }
  const times = new Map<string, number>()
  samples.forEach((sample, at) => {
    const { functionName } = frameOf.get(sample) as Frame
    if (functionName === '(idle)') return
    const part = partOf(sample)
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[at] ?? 0))
  })
  return times
}
