/** What a beginner encounters: a busy port, an interrupted first start, a typo, a shell without some variables. */
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { version } from '../../../package.json'
import { api } from '../../support/client.ts'
import { eventually, shortLived, within } from '../../support/process.ts'
import { bundledPrograms } from '../../support/programs.ts'

const root = resolve(import.meta.dir, '../../..')
const bun = process.execPath
/** Starts as from the sources, without reading all of them. */
const { server: main } = await bundledPrograms()
const folders: string[] = []
const living = new Set<Started>()
afterAll(async () => {
  await Promise.all([...living].map((child) => child.end('SIGKILL')))
  await Promise.all(folders.map((each) => rm(each, { recursive: true, force: true })))
})
const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-minutes-'))
  folders.push(folder)
  return folder
}

interface Started {
  out(): string
  err(): string
  exited: Promise<number>
  end(signal: NodeJS.Signals): Promise<number>
}

/** Runs a program of this repository with only the given environment. */
function start(command: string[], environment: Record<string, string> = {}, cwd = root): Started {
  const child = Bun.spawn(command, {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0', ...shortLived, ...environment },
  })
  const written = { stdout: '', stderr: '' }
  const collect = async (name: 'stdout' | 'stderr') => {
    for await (const chunk of child[name].pipeThrough(new TextDecoderStream())) written[name] += chunk
  }
  const exited = Promise.all([child.exited, collect('stdout'), collect('stderr')]).then(([code]) => {
    living.delete(started)
    return code
  })
  const started: Started = {
    out: () => written.stdout,
    err: () => written.stderr,
    exited,
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
  living.add(started)
  return started
}

const serverIn = (folder: string, environment: Record<string, string> = {}, command = [bun, main]) =>
  start(command, { PORT: '0', LOG_LEVEL: 'warn', TROUPE_STORE: `sqlite:${join(folder, 'troupe.db')}`, ...environment })
const keyIn = (text: string) => /API key +(trp_\w+)/.exec(text)?.[1]
const urlOf = (server: Started) =>
  eventually('a server that is ready', () => /ready at (http:\/\/\S+)/.exec(server.out())?.[1])
const statusWith = async (url: string, key: string | undefined) =>
  (await fetch(`${url}/api/v1/organizations`, { headers: { authorization: `Bearer ${key}` } })).status

/** The only line of a program that fails to start. */
async function refusal(child: Started, expected = 1): Promise<string> {
  const code = await within(child.exited, 'an end', child.out)
  expect({ code, out: child.out(), lines: child.err().trimEnd().split('\n').length }).toEqual({
    code: expected,
    out: '',
    lines: 1,
  })
  return child.err().trimEnd()
}

test('with a busy port nothing is created, and the next start prints a working key', async () => {
  using busy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('mine') })
  const folder = await newFolder()
  const line = await refusal(serverIn(folder, { PORT: String(busy.port) }))
  expect(line).toStartWith(`PORT: ${busy.port} is in use by another program`)
  expect(line).toMatch(/PORT=\d+$/)
  expect(await readdir(folder)).toEqual([])

  const server = serverIn(folder)
  const url = await urlOf(server)
  expect(await statusWith(url, keyIn(server.out()))).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('an address of another machine is refused before anything is created', async () => {
  const folder = await newFolder()
  expect(await refusal(serverIn(folder, { TROUPE_HOST: '192.0.2.1' }))).toStartWith('TROUPE_HOST: 192.0.2.1 is not')
  expect(await readdir(folder)).toEqual([])
})

test('a first start that is killed right after it has shown the key leaves that key, or creates another one', async () => {
  const folder = await newFolder()
  const killed = serverIn(folder)
  const shown = await eventually('a key', () => keyIn(killed.out()))
  await killed.end('SIGKILL')
  const server = serverIn(folder)
  const url = await urlOf(server)
  expect(await statusWith(url, keyIn(server.out()) ?? shown)).toBe(200)
  await server.end('SIGTERM')
})

test.skipIf(!existsSync('/dev/full'))('if nobody can read the key, none is created, and one line says so', async () => {
  const folder = await newFolder()
  const line = await refusal(serverIn(folder, {}, ['sh', '-c', `exec "$0" "$1" > /dev/full`, bun, main]))
  expect(line).toContain('TROUPE_BOOTSTRAP_API_KEY and TROUPE_OWNER_PASSWORD')
  const server = serverIn(folder)
  const url = await urlOf(server)
  expect(await statusWith(url, keyIn(server.out()))).toBe(200)
  await server.end('SIGTERM')
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s to npm start ends the server too', async (signal) => {
  const folder = await newFolder()
  const npm = serverIn(folder, { HOME: folder }, ['npm', 'start'])
  const url = await urlOf(npm)
  await npm.end(signal)
  await eventually('a free port', () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
})

test('from its sources, without HOME, in its own folder', async () => {
  const folder = await newFolder()
  const server = start([bun, join(root, 'src/main.ts')], { PORT: '0', LOG_LEVEL: 'warn' }, folder)
  expect((await fetch(`${await urlOf(server)}/readyz`)).status).toBe(200)
  expect(await readdir(folder)).toEqual(['data'])
  await server.end('SIGTERM')
})

test.each([8, 800])('if a file may have at most %d blocks', async (blocks) => {
  const folder = await newFolder()
  const limited = ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$1"`, bun, main]
  const line = await refusal(serverIn(folder, {}, limited))
  expect(line).toBe(
    `The store ${join(folder, 'troupe.db')} cannot be written: its disk fails, or lets no file be so large (ulimit -f). Make room, or name another path in TROUPE_STORE.`,
  )
})

test('a server whose files reach their size limit is not ready, and keeps its data', async () => {
  const folder = await newFolder()
  const command = ['sh', '-c', 'ulimit -f 6000; exec "$0" "$1"', bun, main]
  const environment = { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' }
  const server = serverIn(folder, environment, command)
  const url = await urlOf(server)
  const key = keyIn(server.out()) as string
  const client = api(url, key)
  expect((await client.get('/readyz')).status).toBe(200)
  const acknowledged: string[] = []
  // large values take most of the room, small ones the rest
  let characters = 900_000
  const unready = await eventually('a server that is not ready', async () => {
    const body = { agentId: 'agt_system_assistant', query: 'x'.repeat(characters) }
    const started = await client.post('/api/v1/agent-runs', body)
    if (started.status === 200) acknowledged.push(started.body.data.id)
    else {
      expect(started.status).toBe(503)
      characters = 2_000
    }
    const reply = await client.get('/readyz')
    return reply.status === 503 && reply.body
  })
  expect(unready).toMatchObject({ status: 'not_ready', checks: { store: 'failing' } })
  expect((await client.get('/healthz')).status).toBe(200)
  await server.end('SIGTERM')

  const next = serverIn(folder, environment)
  const again = api(await urlOf(next), key)
  expect((await again.get('/readyz')).status).toBe(200)
  for (const id of acknowledged) expect((await again.get(`/api/v1/agent-runs/${id}`)).status).toBe(200)
  expect(await next.end('SIGTERM')).toBe(0)
})

describe('unknown arguments are refused in one line, with code 2', () => {
  const rows = [
    ['src/main.ts', '--prot=4000'],
    ['src/main.ts', '4000'],
    ['src/runs/runner/main.ts', '--slots=4'],
    ['bench/run.ts', '--quik'],
    ['bench/run.ts', 'toString'],
    ['examples/first-run.ts', '--help-me'],
    ['examples/delivery-path.ts', 'now'],
    ['examples/approvals.ts', 'now'],
    ['examples/embed.ts', '--now'],
  ] as const
  test.each(rows)('%s %s', async (file, word) => {
    expect(await refusal(start([bun, join(root, file), word], { TROUPE_KEY: 'trp_x' }), 2)).toContain(word)
  })
})

describe('what a program says about itself', () => {
  test.each(['src/main.ts', 'src/runs/runner/main.ts'])('%s --version', async (file) => {
    const child = start([bun, join(root, file), '--version'])
    expect(await child.exited).toBe(0)
    expect(child.out()).toBe(`${version}\n`)
  })
  test.each(['src/main.ts', 'src/runs/runner/main.ts', 'bench/run.ts'])('%s --help', async (file) => {
    const child = start([bun, join(root, file), '--help'])
    expect(await child.exited).toBe(0)
    expect(child.out()).toStartWith('Usage: ')
  })
})

test.each(['first-run', 'delivery-path', 'approvals', 'embed'])(
  'examples/%s.ts without a key says so in one line',
  async (name) => {
    expect(await refusal(start([bun, join(root, `examples/${name}.ts`)]))).toMatch(/^Set TROUPE_KEY to the API key/)
  },
)
