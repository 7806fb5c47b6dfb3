/** Servers under test: each a separate process, with a separate store on the disk of the checkout. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scripts } from '../package.json'
import { newSecret } from '../src/tenancy/api-keys/secret.ts'
import { within } from './load.ts'

const root = join(import.meta.dir, '..')
/** One folder for each benchmark process, so that two do not interfere. */
const dataFolder = join(import.meta.dir, '.data', String(process.pid))
const startMsMax = 60_000

/** A folder for one store; it is removed with its last server. */
export function freshFolder(): string {
  mkdirSync(dataFolder, { recursive: true })
  return mkdtempSync(join(dataFolder, 'store-'))
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

export interface Server {
  port: number
  /** An API key with all permissions; the bare server needs none. */
  key: string
  pid: number
  /** From the start of the process to its first answer. */
  startMs: number
  /** Ends the process, and waits for its exit. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Running servers, so that none outlives the benchmark. */
const running = new Set<Server>()
let isOver = false

/** Ends all remaining servers; no other can be started after it. */
export async function stopAll() {
  isOver = true
  await Promise.all([...running].map((server) => server.stop('SIGKILL')))
  rmSync(dataFolder, { recursive: true, force: true })
}

interface TroupeOptions {
  folder: string
  /** The same key for every server on one store. */
  key?: string
  settings?: Record<string, string>
  /** Gets each line of its output after its start. */
  onLine?: (line: string) => void
  /** Files of this folder that its process preloads. */
  preload?: string[]
}

/** Minutes are counted as usual, and do not run out. */
const plans = [
  {
    planKey: 'bench',
    name: 'Benchmark',
    price: { amount: 0, currency: 'usd', interval: 'month' },
    minuteBudget: 1_000_000_000,
    // high enough for all measurements, and checked as usual
    limits: { liveRuns: 1_000_000_000, openStreams: 1_000_000 },
    features: [],
  },
]

/** Starts the product as an operator would. */
export function startTroupe({ folder, key = newSecret(), settings = {}, preload = [], onLine }: TroupeOptions) {
  const preloaded = preload.flatMap((file) => ['--preload', join(import.meta.dir, file)])
  const plansFile = join(folder, 'plans.json')
  writeFileSync(plansFile, JSON.stringify(plans))
  // scenarios that look at functions need them in their sources
  const program = preload.length > 0 ? 'src/server/program.ts' : 'src/main.ts'
  const environment = {
    TROUPE_STORE: `sqlite:${storePath(folder)}`,
    TROUPE_BOOTSTRAP_API_KEY: key,
    TROUPE_RATE_LIMIT_PER_MINUTE: '0',
    TROUPE_STREAMS_PER_CREDENTIAL: '0',
    TROUPE_PLANS_FILE: plansFile,
    LOG_LEVEL: 'error',
    ...settings,
  }
  return start([...preloaded, program], key, '/healthz', environment, onLine)
}

export const storePath = (folder: string) => join(folder, 'troupe.db')

/** Starts the baseline server. */
export const startBare = (folder: string) =>
  start(['bench/bare.ts'], '', '/nothing', { BARE_STORE: join(folder, 'bare.db') })

/** What `npm start` sets for the allocator; the baseline gets it too. */
const allocator = Object.fromEntries(
  [...scripts.start.matchAll(/(MIMALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name as string, value as string]),
)

async function start(
  args: string[],
  key: string,
  path: string,
  settings: Record<string, string>,
  onLine?: (line: string) => void,
): Promise<Server> {
  if (isOver) throw new Error('The benchmark is over.')
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    // the server gets no setting of the shell that runs the benchmark
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: '0',
      TROUPE_HOST: '127.0.0.1',
      ...allocator,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const server: Server = {
    port: 0,
    key,
    pid: child.pid,
    startMs: 0,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await within(25_000, 'the end of a server', child.exited).catch(() => child.kill('SIGKILL'))
      running.delete(server)
    },
  }
  running.add(server)
  try {
    server.port = await within(startMsMax, 'the start of a server', announcedPort(child.stdout, onLine))
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`)
    if (!answer.ok) throw new Error(`The server answered ${answer.status} to its first request.`)
    server.startMs = performance.now() - startedAt
    return server
  } catch (error) {
    await server.stop('SIGKILL')
    throw error
  }
}

/** Reads a server's output until it prints its address; later output is passed on. */
function announcedPort(stdout: ReadableStream<Uint8Array>, onLine: (line: string) => void = () => {}): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const readAll = async () => {
    const decoder = new TextDecoder()
    let text = ''
    let port: string | undefined
    for await (const piece of stdout) {
      text += decoder.decode(piece, { stream: true })
      if (port !== undefined) {
        const lines = text.split('\n')
        text = lines.pop() as string
        lines.forEach(onLine)
        continue
      }
      port = /ready at http:\/\/[^:\s]+:(\d+)/.exec(text)?.[1]
      if (port === undefined) continue
      resolve(Number(port))
      text = text.slice(text.lastIndexOf('\n') + 1)
    }
    reject(new Error(`The server ended at its start:\n${text}`))
  }
  readAll().catch(reject)
  return promise
}
