/** Servers and runners as processes that can be killed, stopped and started again on the same store. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { api, type Client, isNoServer, isServer } from './client.ts'
import { bundledPrograms, type Programs } from './programs.ts'
import { bootstrapKey, ownerPassword, putUsedStore } from './used-store.ts'

const root = resolve(import.meta.dir, '../..')
/** So long that a machine with thirty times too much to do has done it; what never comes costs that once. */
const patienceMs = 120_000

export interface RunningProcess {
  pid: number
  /** What it has written so far, both streams. */
  output(): string
  stderr(): string
  exited: Promise<number>
  /** Sends the signal and waits for the end; the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>
}

/** Most of these processes live for a second: code that the optimizing compiler makes for them is hardly ever run. */
export const shortLived = { BUN_JSC_useDFGJIT: '0' }

const living = new Set<RunningProcess>()

/** Ends what a failed test left behind. */
export async function endAll() {
  await Promise.all([...living].map((child) => child.end('SIGKILL')))
}

export function spawn(file: string, environment: Record<string, string>): RunningProcess {
  const child = Bun.spawn([process.execPath, file], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', ...shortLived, ...environment },
  })
  const written = { stdout: '', stderr: '' }
  const collect = async (name: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder()
    for await (const chunk of child[name]) written[name] += decoder.decode(chunk, { stream: true })
  }
  const exited = Promise.all([child.exited, collect('stdout'), collect('stderr')]).then(([code]) => {
    living.delete(running)
    return code
  })
  const running: RunningProcess = {
    pid: child.pid,
    output: () => written.stdout + written.stderr,
    stderr: () => written.stderr,
    exited,
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
  living.add(running)
  return running
}

export interface Server extends RunningProcess {
  /** `http://127.0.0.1:<port>` */
  url: string
  client: Client
}

const newFolder = () => mkdtemp(join(tmpdir(), 'troupe-site-'))

/** A place for one store, and the servers that run on it, one after the other. */
export class Site {
  readonly key = bootstrapKey
  readonly runnerToken = 'runner-token-of-the-tests'

  private constructor(
    readonly folder: string,
    private readonly environment: Record<string, string>,
    private readonly programs: Programs,
  ) {}

  /**
   * With a store that has its first start behind it, in a temporary folder, which `remove` removes; or in `folder`, with
   * whatever store is there.
   */
  static async create(environment: Record<string, string> = {}, folder?: string): Promise<Site> {
    const site = new Site(folder ?? (await newFolder()), environment, await bundledPrograms())
    if (!folder) await putUsedStore(site.storePath)
    return site
  }

  /** Without a store, in a temporary folder. */
  static async withoutStore(environment: Record<string, string> = {}): Promise<Site> {
    return new Site(await newFolder(), environment, await bundledPrograms())
  }

  get storePath() {
    return join(this.folder, 'troupe.db')
  }

  /** Spawns a server and leaves it to the caller to see what becomes of it. */
  spawn(environment: Record<string, string> = {}): RunningProcess {
    return spawn(this.programs.server, {
      HOME: this.folder,
      PORT: '0',
      LOG_LEVEL: 'warn',
      TROUPE_STORE: `sqlite:${this.storePath}`,
      TROUPE_BOOTSTRAP_API_KEY: this.key,
      TROUPE_OWNER_PASSWORD: ownerPassword,
      TROUPE_RUNNER_TOKEN: this.runnerToken,
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      ...this.environment,
      ...environment,
    })
  }

  /** Starts a server and waits until it listens. Throws with its output when it does not. */
  async start(environment: Record<string, string> = {}): Promise<Server> {
    const running = this.spawn(environment)
    const ended = running.exited.then(() => true)
    const address = async () => {
      for (;;) {
        const found = /Troupe is ready at (http:\/\/127\.0\.0\.1:\d+)\s/.exec(running.output())
        if (found) return found[1] as string
        if (await Promise.race([ended, Bun.sleep(5)])) throw new Error(`The server did not start:\n${running.output()}`)
      }
    }
    const url = await within(address(), 'a server that listens', running.output)
    isServer(url)
    void ended.then(() => isNoServer(url))
    return { ...running, url, client: api(url, this.key) }
  }

  /** A runner process for a server of this site. */
  startRunner(url: string, environment: Record<string, string> = {}): RunningProcess {
    return spawn(this.programs.runner, {
      HOME: this.folder,
      LOG_LEVEL: 'info',
      TROUPE_SERVER_URL: url,
      TROUPE_RUNNER_TOKEN: this.runnerToken,
      ...environment,
    })
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true })
  }
}

/** The result, or an error that says what did not come within the time. */
export async function within<Result>(
  work: Promise<Result>,
  what: string,
  about: () => unknown = () => '',
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`There was not ${what} within ${patienceMs} ms. ${about()}`)),
    patienceMs,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What `look` finds once it finds something. */
export async function eventually<Found>(
  what: string,
  look: () => Promise<Found | undefined | false> | Found | undefined | false,
): Promise<Found> {
  const until = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > until) throw new Error(`There was not ${what} within ${patienceMs} ms.`)
    await Bun.sleep(15)
  }
}
