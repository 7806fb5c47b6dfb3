/**
 * The whole server in this process, as `main.ts` starts it: real HTTP on a free port, a real SQLite file, and a clock that
 * a test may move. A new store has its first start behind it. For what has to survive a crash, see `process.ts` and `server.ts`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/platform/operating/logger.ts'
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'
import { traceFields } from '../../src/platform/tracing/request-spans.ts'
import { tracesAreOn } from '../../src/platform/tracing/settings.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import { api, type Client, isNoServer, isServer } from './client.ts'
import { placeStore } from './engine.ts'
import { bootstrapKey, ownerEmail, ownerPassword } from './used-store.ts'

export { ownerEmail, ownerPassword }

export interface Troupe {
  url: string
  /** The owner's key of the first organization, with all operations. */
  key: string
  owner: Client
  /** Any other credential; null sends none. */
  as(key: string | null): Client
  /** The path of the store's file. */
  file: string
  /** Lines of the log, as objects. */
  lines: Record<string, unknown>[]
  stop(): Promise<void>
}

export interface TroupeOptions {
  environment?: Record<string, string>
  clock?: Clock
  /** A folder to go on with; it is left where it is. */
  folder?: string
  /** Of the lines that are kept; default `warn`. */
  logLevel?: 'warn' | 'debug'
}

export async function openTroupe({
  environment = {},
  clock = systemClock,
  folder,
  logLevel = 'warn',
}: TroupeOptions = {}): Promise<Troupe> {
  // while a file is loaded, the folder of the tests may not be there yet
  await mkdir(tmpdir(), { recursive: true, mode: 0o711 })
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'troupe-')))
  const file = join(home, 'troupe.db')
  const place = await placeStore(home, clock, clock === systemClock ? 0 : clock.now())
  const lines: Record<string, unknown>[] = []
  const { config } = readConfig({
    PORT: '0',
    TROUPE_OWNER_PASSWORD: ownerPassword,
    TROUPE_BOOTSTRAP_API_KEY: bootstrapKey,
    ...place.environment,
    ...environment,
  })
  const fieldsOf = tracesAreOn(config) ? traceFields : undefined
  const logger = createLogger(logLevel, { write: (line) => void lines.push(JSON.parse(line)) }, fieldsOf)
  const before = new Set(process.listeners('beforeExit'))
  let server: RunningServer | undefined = await startServer(config, logger, { clock })
  const added = process.listeners('beforeExit').filter((listener) => !before.has(listener))
  const { url } = server
  isServer(url)
  return {
    url,
    key: bootstrapKey,
    owner: api(url, bootstrapKey),
    as: (credential) => api(url, credential),
    file,
    lines,
    async stop() {
      await server?.stop()
      isNoServer(url)
      // Elysia's listeners, and the variables of tests, live until the process ends: the server's memory need not
      for (const listener of added.splice(0)) process.off('beforeExit', listener)
      server = undefined
      if (folder) return
      await rm(home, { recursive: true, force: true })
      await place.remove()
    },
  }
}
