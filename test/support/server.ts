/** The server as its users have it: a process of its own, with a store of its own, on a free port. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { isServer } from './client.ts'
import { bootstrapKey, ownerPassword, putUsedStore } from './used-store.ts'

const root = resolve(import.meta.dir, '../..')
const readyWithinMs = 15_000
const stopsWithinMs = 25_000
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export interface RunningServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** An API key with all operations. */
  key: string
  /** The temporary folder with the store; gone after `stop` or `discard`. */
  folder: string
  pid: number
  /** What the process has written so far, both streams. */
  output(): string
  /** SIGTERM, as an operator does it; the exit code. Removes the folder. */
  stop(): Promise<number>
  /** SIGKILL, as a crash does it; the folder stays, to start again on it. */
  kill(): Promise<void>
  /** Removes the folder of a killed server. */
  discard(): Promise<void>
}

/** An API key of the right form. Source: contract 1, "API key". */
export function newApiKey(): string {
  const body = Array.from(randomBytes(43), (byte) => alphabet[byte % alphabet.length]).join('')
  let rest = crc32(body)
  let checksum = ''
  for (let place = 0; place < 6; place++) {
    checksum = alphabet[rest % alphabet.length] + checksum
    rest = Math.floor(rest / alphabet.length)
  }
  return `trp_${body}${checksum}`
}

export interface StartOptions {
  /** A folder to go on with, of a server that was killed. */
  folder?: string
  key?: string
}

/** Starts a server and waits until it says where it listens. Throws, with its output, when it does not within 15 s. */
export async function startServer(
  environment: Record<string, string> = {},
  options: StartOptions = {},
): Promise<RunningServer> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'troupe-')))
  const key = options.key ?? bootstrapKey
  if (!options.folder) await putUsedStore(join(folder, 'troupe.db'))
  const process_ = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      PORT: '0',
      TROUPE_STORE: `sqlite:${join(folder, 'troupe.db')}`,
      TROUPE_BOOTSTRAP_API_KEY: key,
      TROUPE_OWNER_PASSWORD: ownerPassword,
      ...environment,
    },
  })

  let output = ''
  const { promise: listening, resolve: listens } = Promise.withResolvers<string>()
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true })
      const address = /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(output)
      if (address) listens(address[0])
    }
  }
  const streams = Promise.all([collect(process_.stdout), collect(process_.stderr)])

  const remove = () => rm(folder, { recursive: true, force: true })
  const ended = async () => {
    const code = await process_.exited
    await streams
    return code
  }
  const timer = setTimeout(() => process_.kill('SIGKILL'), readyWithinMs)
  const url = await Promise.race([listening, process_.exited.then(() => undefined)])
  clearTimeout(timer)
  if (url === undefined) {
    await streams
    if (!options.folder) await remove()
    throw new Error(`The server did not start:\n${output}`)
  }
  isServer(url)
  return {
    url,
    key,
    folder,
    pid: process_.pid,
    output: () => output,
    async stop() {
      process_.kill('SIGTERM')
      const giveUp = setTimeout(() => process_.kill('SIGKILL'), stopsWithinMs)
      const code = await ended()
      clearTimeout(giveUp)
      await remove()
      return code
    },
    async kill() {
      process_.kill('SIGKILL')
      await ended()
    },
    discard: remove,
  }
}
