/** A real PostgreSQL on a loopback port: one for each process that needs it, with a database for each store. */
import { closeSync, existsSync, openSync, readdirSync, writeSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { freePort } from '../free-ports.ts'

/** Debian keeps the server's programs outside the path, in a folder for each version. */
function programsOf(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const found = existsSync(versions) ? readdirSync(versions).toSorted((a, b) => Number(b) - Number(a)) : []
  return found.map((version) => join(versions, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
}
const programs = programsOf()

let said = false

/**
 * Whether suites that need PostgreSQL can run. Throws in CI if they can't; elsewhere prints once that they are skipped.
 */
export function postgresIsInstalled(): boolean {
  if (programs) return true
  if (process.env.CI) throw new Error('PostgreSQL is not installed: run sh test/support/install-services.sh.')
  if (!said) console.warn('PostgreSQL is not installed: tests that need a real one are skipped.')
  said = true
  return false
}

/** PostgreSQL refuses to run as root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // these tests cover the crash of a process, not of the machine
  fsync: 'off',
  max_connections: '1000',
  shared_buffers: '16MB',
  autovacuum: 'off',
  // in its folder: what a killed server leaves in /dev/shm stays there
  dynamic_shared_memory_type: 'mmap',
}

const readyLine = 'ready to accept connections'

/**
 * Waits until this process ends in any way, or closes the pipe, then ends the server and removes its folder; a line in
 * the pipe makes it leave without doing either. A killed server leaves a segment of shared memory, which line 7 of
 * `postmaster.pid` names. It runs behind a shell that ends at once, since the test runner kills its descendants.
 */
const watch = `(
  trap '' HUP INT TERM
  read -r line <"$3" && exit
  segment=$(sed -n 7p "$2/data/postmaster.pid" 2>/dev/null)
  kill -QUIT "$1" 2>/dev/null && kill -CONT "$1"
  for _ in $(seq 200); do kill -0 "$1" 2>/dev/null || break; sleep 0.05; done
  [ -e "$2/data/postmaster.pid" ] && ipcrm -m "\${segment##* }" 2>/dev/null
  rm -rf "$2"
) &`

let launches = 0

/** Starts when its folder exists; stops, with the folder removed, when this process ends in any way. */
async function launch(port: number, folder: string, others: Record<string, string>) {
  const data = join(folder, 'data')
  const given = Object.entries({ ...settings, ...others }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = Bun.spawn([...asNobody, join(programs as string, 'postgres'), '-D', data, '-p', `${port}`, ...given], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  launches += 1
  const pipe = join(folder, `pipe-${launches}`)
  Bun.spawnSync(['mkfifo', pipe])
  // for reading too, which does not wait for a reader
  const life = openSync(pipe, 'r+')
  const watchman = Bun.spawn(['sh', '-c', watch, 'sh', `${server.pid}`, folder, pipe], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await watchman.exited
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const read = async () => {
    const decoder = new TextDecoder()
    let log = ''
    for await (const chunk of server.stderr) {
      log += decoder.decode(chunk, { stream: true })
      if (log.includes(readyLine)) resolve(true)
      // clients that it refuses until then may fill any number of lines
      log = log.slice(-readyLine.length)
    }
    resolve(false)
  }
  void read()
  return { server, life, isReady: await promise }
}

/** Next to the folder of the test file, which is removed with the file; leftovers are removed like those of tests. */
const besideTests = () => dirname(tmpdir())

async function initialized(name: string, parent: string): Promise<string> {
  const folder = join(parent, `troupe-tests-${process.pid}-${name}`)
  await mkdir(folder, { mode: 0o777 })
  await chmod(folder, 0o777)
  // strings are ordered by language, as in many an operator's database
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  const made = Bun.spawnSync(
    [
      ...asNobody,
      join(programs as string, 'initdb'),
      '-D',
      join(folder, 'data'),
      '-U',
      'troupe',
      '-A',
      'trust',
      '-N',
      ...locale,
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  return folder
}

/** A server that a test may stop, freeze and start again. */
export interface PostgresServer {
  port: number
  /** The parent process of all its other processes. */
  readonly pid: number
  /** Creates an empty database; returns its address for `TROUPE_STORE`. */
  create(name: string): Promise<string>
  /** Ends all of its sessions at once, as `pg_ctl stop -m immediate` does. */
  stopImmediately(): Promise<void>
  /** Rolls back all transactions, ends all sessions and stops, as `pg_ctl stop -m fast` does. */
  stopFast(): Promise<void>
  /** Starts it again on the same port, with its committed data. */
  startAgain(): Promise<void>
  /** Makes it hang: the kernel accepts connections, and nothing answers. */
  pause(): void
  resume(): void
  /** Stops it for good and removes its data. */
  remove(): Promise<void>
}

const addressOf = (port: number, name: string) => `postgres://troupe@127.0.0.1:${port}/${name}`

async function launchOnFreePort(folder: string, others: Record<string, string> = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const port = freePort()
    const launched = await launch(port, folder, others)
    if (launched.isReady) return { port, ...launched }
    if (attempt === 5) throw new Error('PostgreSQL did not start.')
  }
}

let servers = 0

interface PostgresOptions {
  /**
   * A folder that the user `postgres` can enter and write to when this process runs as root; the data go into a
   * subfolder.
   */
  parent?: string
  /** Settings of the server that add to or replace those for tests. */
  settings?: Record<string, string>
}

/** Starts a server for this test alone; `newDatabase` uses the shared one. */
export async function startPostgres({
  parent = besideTests(),
  settings: others = {},
}: PostgresOptions = {}): Promise<PostgresServer> {
  servers += 1
  const folder = await initialized(`postgres-${servers}`, parent)
  const { port, ...first } = await launchOnFreePort(folder, others)
  let running: Pick<typeof first, 'server' | 'life'> = first
  /** All its processes: those of sessions are its children. */
  const all = () => {
    const { stdout } = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', `${running.server.pid}`])
    return [running.server.pid, ...`${stdout}`.split('\n').filter(Boolean).map(Number)]
  }
  const signal = (name: NodeJS.Signals) => {
    for (const pid of all()) process.kill(pid, name)
  }
  const stop = async (name: NodeJS.Signals) => {
    running.server.kill(name)
    await running.server.exited
  }
  return {
    port,
    get pid() {
      return running.server.pid
    },
    async create(name) {
      const admin = new SQL({ url: addressOf(port, 'postgres'), max: 1 })
      await admin.unsafe(`create database ${name} template template0`)
      await admin.close()
      return addressOf(port, name)
    },
    stopImmediately: () => stop('SIGQUIT'),
    stopFast: () => stop('SIGINT'),
    async startAgain() {
      const again = await launch(port, folder, others)
      if (!again.isReady) throw new Error('PostgreSQL did not start again.')
      // the first watchman would remove its data
      writeSync(running.life, 'leave\n')
      running = again
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async remove() {
      closeSync(running.life)
      while (existsSync(folder)) await Bun.sleep(20)
    },
  }
}

/** The server that all tests of this process share. */
async function start(): Promise<number> {
  const { server, port } = await launchOnFreePort(await initialized('postgres', besideTests()))
  server.unref()
  return port
}

let started: Promise<number> | undefined
let admin: SQL | undefined
let databases = 0
/** A template can be copied by one session at a time. */
let copying: Promise<unknown> = Promise.resolve()

export interface Database {
  name: string
  /** The address, as `TROUPE_STORE` takes it. */
  address: string
  remove(): Promise<void>
}

/** Creates an empty database, or a copy of a template that no session has open. */
export async function newDatabase(template = 'template0'): Promise<Database> {
  started ??= start()
  const port = await started
  admin ??= new SQL({ url: addressOf(port, 'postgres'), max: 1 })
  databases += 1
  const name = `troupe_${databases}`
  const own = admin
  const made = copying.then(() => own.unsafe(`create database ${name} template ${template}`))
  copying = made.catch(() => {})
  await made
  return {
    name,
    address: addressOf(port, name),
    remove: async () => void (await own.unsafe(`drop database ${name} with (force)`)),
  }
}
