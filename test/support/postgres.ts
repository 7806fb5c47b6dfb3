/** A real PostgreSQL on a loopback port: one for each process that asks for it, with a database for each store. */
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'

/** Debian keeps the server's programs out of the path, in a folder for each version. */
function programsOf(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const found = existsSync(versions) ? readdirSync(versions).toSorted((a, b) => Number(b) - Number(a)) : []
  return found.map((version) => join(versions, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
}
const programs = programsOf()

let said = false

/** Whether suites that need PostgreSQL can run. Throws in CI where they can't; elsewhere says once that they don't. */
export function postgresIsInstalled(): boolean {
  if (programs) return true
  if (process.env.CI) throw new Error('PostgreSQL is not installed: run sh test/support/install-services.sh.')
  if (!said) console.warn('PostgreSQL is not installed: tests that need a real one are skipped.')
  said = true
  return false
}

/** It refuses to run as root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // what is tested here survives the crash of a process, not of the machine
  fsync: 'off',
  max_connections: '1000',
  shared_buffers: '16MB',
  autovacuum: 'off',
}

/** Begins when its folder is there; ends, with the folder, when this process does, in whatever way. */
async function launch(port: number, folder: string) {
  const data = join(folder, 'data')
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = Bun.spawn([...asNobody, join(programs as string, 'postgres'), '-D', data, '-p', `${port}`, ...given], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const watchman = Bun.spawn(
    [
      'sh',
      '-c',
      'read -r _; kill -QUIT "$1" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.05; done; rm -rf "$2"',
      'sh',
      `${server.pid}`,
      folder,
    ],
    { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' },
  )
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const read = async () => {
    const decoder = new TextDecoder()
    let log = ''
    for await (const chunk of server.stderr) {
      if (log.length < 100_000) log += decoder.decode(chunk, { stream: true })
      if (log.includes('ready to accept connections')) resolve(true)
    }
    resolve(false)
  }
  void read()
  return { server, watchman, isReady: await promise }
}

async function initialized(): Promise<string> {
  // beside the folder of the test file, which goes with the file; what is left behind goes as that of tests does
  const folder = join(dirname(tmpdir()), `troupe-tests-${process.pid}-postgres`)
  await mkdir(folder, { mode: 0o777 })
  await chmod(folder, 0o777)
  // strings are ordered by the language, as many an operator's database does
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

async function start(): Promise<number> {
  const folder = await initialized()
  for (let attempt = 1; ; attempt += 1) {
    const found = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const { port } = found
    found.stop(true)
    const { isReady, server, watchman } = await launch(port, folder)
    if (isReady) {
      for (const child of [server, watchman]) child.unref()
      return port
    }
    if (attempt === 5) throw new Error('PostgreSQL did not start.')
  }
}

let started: Promise<number> | undefined
let admin: SQL | undefined
let databases = 0
/** A template is copied by one at a time. */
let copying: Promise<unknown> = Promise.resolve()

export interface Database {
  name: string
  /** As `TROUPE_STORE` takes it. */
  address: string
  remove(): Promise<void>
}

/** An empty database, or a copy of a template that nobody has open. */
export async function newDatabase(template = 'template0'): Promise<Database> {
  started ??= start()
  const port = await started
  const base = `postgres://troupe@127.0.0.1:${port}`
  admin ??= new SQL({ url: `${base}/postgres`, max: 1 })
  databases += 1
  const name = `troupe_${databases}`
  const own = admin
  const made = copying.then(() => own.unsafe(`create database ${name} template ${template}`))
  copying = made.catch(() => {})
  await made
  return {
    name,
    address: `${base}/${name}`,
    remove: async () => void (await own.unsafe(`drop database ${name} with (force)`)),
  }
}
