import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = Bun.which('redis-server')

/** Whether suites that need Redis can run. Throws in CI where they can't; elsewhere says once, plainly, that they don't. */
export function redisIsInstalled(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('redis-server is not installed: run sh test/support/install-services.sh.')
  sayOnce()
  return false
}

let said = false
function sayOnce(): void {
  if (said) return
  said = true
  console.warn('redis-server is not installed: tests that need a real Redis are skipped.')
}

export interface RedisServer {
  url: string
  port: number
  /** Ends it for good. */
  stop(): Promise<void>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port with nothing in memory, ending it first if it still runs. */
  restart(): Promise<void>
  /** Makes it hang: connections are accepted by the kernel, and nothing answers. */
  pause(): void
  resume(): void
}

/**
 * A real Redis on a free loopback port, without persistence. It and its directory are gone after stop() and also when this
 * process dies in whatever way.
 */
export async function startRedis(): Promise<RedisServer> {
  let running = await launchOnFreePort()
  const { port } = running
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: () => running.end(),
    kill: () => running.end(),
    async restart() {
      await running.end()
      running = await launch(port)
    },
    pause: () => process.kill(running.pid, 'SIGSTOP'),
    resume: () => process.kill(running.pid, 'SIGCONT'),
  }
}

/** Between finding a free port and listening on it somebody else may take it, hence several attempts. */
async function launchOnFreePort(): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    const found = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const { port } = found
    found.stop(true)
    try {
      return await launch(port)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

interface RunningServer {
  port: number
  pid: number
  end(): Promise<void>
}

async function launch(port: number): Promise<RunningServer> {
  if (!program) throw new Error('redis-server is not installed.')
  const directory = await mkdtemp(join(tmpdir(), 'troupe-redis-'))
  const server = Bun.spawn(
    [program, '--bind', '127.0.0.1', '--port', `${port}`, '--dir', directory, '--save', '', '--appendonly', 'no'],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
  )
  // Its input ends when end() closes it or when this process dies, be it by SIGKILL, which no exit handler would see.
  const watchman = Bun.spawn(
    ['sh', '-c', 'read -r _; kill -KILL "$1" 2>/dev/null; rm -rf "$2"', 'sh', `${server.pid}`, directory],
    { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' },
  )
  const end = async () => {
    watchman.stdin.end()
    await Promise.all([watchman.exited, server.exited])
  }
  if (await isReady(server.stdout)) return { port, pid: server.pid, end }
  await end()
  throw new Error(`redis-server did not start on port ${port}.`)
}

/** Reads the server's log, for ever so that it never blocks, and resolves when it accepts connections or has ended. */
function isReady(output: ReadableStream<Uint8Array>): Promise<boolean> {
  return new Promise((resolve) => {
    const read = async () => {
      const decoder = new TextDecoder()
      let log = ''
      let ready = false
      for await (const chunk of output) {
        if (ready) continue
        log += decoder.decode(chunk, { stream: true })
        ready = log.includes('Ready to accept connections')
        if (ready) resolve(true)
      }
      resolve(false)
    }
    read().catch(() => resolve(false))
  })
}
