/** Servers and runners as processes that can be killed, stopped and restarted on the same store. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { api, type Client, registerServer, unregisterServer } from './client.ts'
import { bundledPrograms, type Programs } from './programs.ts'
import { bootstrapKey, ownerPassword, putUsedStore } from './stores/used-store.ts'

const root = resolve(import.meta.dir, '../..')
/** Long enough for a machine with a load of thirty; it only costs this time when something never happens. */
const patienceMs = 120_000

export interface RunningProcess {
  pid: number
  /** Its output so far, both streams. */
  output(): string
  stderr(): string
  exited: Promise<number>
  /** Sends the signal, waits for the process to end and returns the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGHUP'): Promise<number>
}

/** Most of these processes live for a second: code from the optimizing compiler would hardly ever run. */
export const shortLived = { BUN_JSC_useDFGJIT: '0' }

const living = new Set<RunningProcess>()

/** Stops processes that a failed test left running. */
export async function endAll() {
  await Promise.all([...living].map((child) => child.end('SIGKILL')))
}

function spawn(file: string, environment: Record<string, string>): RunningProcess {
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

/** A location for one store, and the servers that run on it, one after the other. */
export class Site {
  readonly key = bootstrapKey
  readonly runnerToken = 'runner-token-of-the-tests'

  private constructor(
    readonly folder: string,
    private readonly environment: Record<string, string>,
    private readonly programs: Programs,
  ) {}

  /**
   * With a store that has completed its first start, in a temporary folder, which `remove` removes; or in `folder`,
   * with any store that it contains.
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

  /** Another site with a copy of what this one has stored. No server may be running here. */
  async copy(): Promise<Site> {
    const folder = await newFolder()
    await cp(this.folder, folder, { recursive: true })
    return new Site(folder, this.environment, this.programs)
  }

  get storePath() {
    return join(this.folder, 'troupe.db')
  }

  /** Spawns a server without waiting for it. */
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

  /** Starts a server and waits until it listens. Throws with its output when it fails. */
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
    registerServer(url)
    void ended.then(() => unregisterServer(url))
    return { ...running, url, client: api(url, this.key) }
  }

  /** Starts a runner process for a server of this site. */
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

/** Returns the result, or throws an error that names what did not happen in time. */
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

/** Returns the first result of `look` that is not undefined. */
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
