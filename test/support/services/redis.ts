import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-ports.ts'

const program = Bun.which('redis-server')

/** Whether suites that need Redis can run. Throws in CI if they can't; elsewhere prints once that they are skipped. */
export function redisIsInstalled(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('redis-server is not installed: run sh test/support/install-services.sh.')
  warnOnce()
  return false
}

let said = false
function warnOnce(): void {
  if (said) return
  said = true
  console.warn('redis-server is not installed: tests that need a real Redis are skipped.')
}

export interface RedisServer {
  url: string
  port: number
  /** Stops it for good. */
  stop(): Promise<void>
  /** Stops it at once, like a crash. */
  kill(): Promise<void>
  /** Restarts it on the same port with nothing in memory, stopping it first if it still runs. */
  restart(): Promise<void>
  /** Makes it hang: the kernel accepts connections, and nothing answers. */
  pause(): void
  resume(): void
}

/**
 * A real Redis on a free loopback port, without persistence. It and its directory are removed by stop(), and also when
 * this process ends in any way.
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

/** Another program may take a free port before Redis listens on it, hence several attempts. */
async function launchOnFreePort(): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(freePort())
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
  // Its input ends when end() closes it or when this process dies, even by SIGKILL, which no exit handler would see.
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

/** Reads the server's log forever, so that it never blocks, and resolves when it accepts connections or has ended. */
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
