/** A real server for a test, in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { TroupeError } from '../client/errors.ts'
import { Troupe } from '../troupe.ts'
import { findServer } from './find-server.ts'

/** Options of a test's server. */
export interface TestServerOptions {
  /**
   * The folder of a checkout of Troupe. Default: `TROUPE_SERVER`, the checkout of this package, or the package
   * `troupe`.
   */
  server?: string
  /** Settings of the server, such as `TROUPE_RUNNER_SLOTS`. */
  environment?: Record<string, string>
  /** The timeout of the start. Default: 60,000. */
  startMs?: number
}

/** A running server. */
export interface TestServer {
  baseUrl: string
  /** A key with all operations. */
  apiKey: string
  /** A client with that key. */
  troupe: Troupe
  /** Stops it. Its store is in memory, so nothing remains. */
  stop(): Promise<void>
}

/** The longest shutdown before the process is killed. */
const stopMsMax = 10_000

/** Resolves with the server's output when it is ready. Rejects if the process ends before, or takes too long. */
function ready(child: ChildProcess, startMs: number): Promise<{ baseUrl: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const fail = (how: string) => {
      clearTimeout(timer)
      reject(new TroupeError('server_not_started', `The server ${how}. It said:\n${printed.trim()}`))
    }
    const timer = setTimeout(() => fail(`was not ready within ${startMs} ms`), startMs)
    let isReady = false
    const listen = (text: string) => {
      // later output is read and dropped
      if (isReady) return
      printed += text
      const baseUrl = /^Troupe is ready at (\S+)$/m.exec(printed)?.[1]
      if (!baseUrl) return
      isReady = true
      clearTimeout(timer)
      const apiKey = /^ +API key +(\S+)$/m.exec(printed)?.[1]
      if (apiKey) resolve({ baseUrl, apiKey })
      else fail('printed no API key')
      printed = ''
    }
    child.stdout?.setEncoding('utf8').on('data', listen)
    child.stderr?.setEncoding('utf8').on('data', listen)
    child.once('error', ({ message }) => fail(`could not be started: ${message}`))
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`))
  })
}

/** Ends the process: by a signal, and after a while by force. */
function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/**
 * Starts a real server on a free port of this machine, with its store in memory, the sandbox as its model, and no rate
 * limits. It ends with `stop`, or with this process.
 *
 *     const server = await startTestServer()
 *     const run = await server.troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('Hello.')) })
 *     await server.stop()
 */
export async function startTestServer({
  server,
  environment = {},
  startMs = 60_000,
}: TestServerOptions = {}): Promise<TestServer> {
  const { bun, main } = findServer(server)
  // the settings of this process are for another server
  const inherited = Object.entries(process.env).filter(([name]) => !/^(TROUPE_|PORT$|REDIS_URL$|NODE_ENV$)/.test(name))
  const child = spawn(bun, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(inherited),
      PORT: '0',
      TROUPE_STORE: 'sqlite::memory:',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      ...environment,
    },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    await end(child)
    process.off('exit', kill)
  }
  try {
    const { baseUrl, apiKey } = await ready(child, startMs)
    return { baseUrl, apiKey, troupe: new Troupe({ baseUrl, apiKey }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
