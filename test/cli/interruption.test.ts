/** Ctrl-C, with and without a terminal. */
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endCommands, type Home, openHome } from './command.ts'

const silent = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) })
const key = `trp_${'0'.repeat(49)}`
const homes: Home[] = []
afterAll(async () => {
  await endCommands()
  await silent.stop(true)
  for (const home of homes) await home.remove()
})

async function hangingHome() {
  const home = await openHome({ TROUPE_URL: silent.url.href, TROUPE_API_KEY: key, TERM: 'xterm' })
  homes.push(home)
  return home
}

test.each([
  [['whoami']],
  [['run', 'shop/development/clerk', 'Hello']],
  [['runs', 'list']],
  [['runs', 'watch', 'run_01h455vb4pex5vsknk084sn02q']],
  [['runs', 'continue', 'run_01h455vb4pex5vsknk084sn02q', 'Hello']],
  [['logs', 'shop/development', '-f']],
  [['keys', 'list']],
  [['chart', 'run']],
  [['webhooks', 'listen', 'shop/development', '--to', 'http://localhost:9']],
  [['plan']],
  [['apply']],
  [['promote', 'shop/development', 'shop/production']],
  [['rollback', 'shop/production']],
  [['export', 'shop/production']],
  [['worker', 'worker.mjs', '--on', 'shop/production']],
])(
  '%p stops waiting for an unresponsive server',
  async (words) => {
    const home = await hangingHome()
    writeFileSync(join(home.folder, 'troupe.yaml'), 'version: 1\nproject: { slug: shop }\n')
    writeFileSync(join(home.folder, 'worker.mjs'), "export const queue = 'q', operations = { 'a.b': () => 1 }\n")
    const before = silent.pendingRequests
    const going = home.start(words)
    while (silent.pendingRequests === before) await Bun.sleep(10)
    going.process.kill('SIGINT')
    expect(await going.ended).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('Interrupted.') })
  },
  180_000,
)

test.each([
  [['run', 'shop/development/clerk', 'Hello']],
  [['runs', 'watch', 'run_01h455vb4pex5vsknk084sn02q']],
  [['runs', 'continue', 'run_01h455vb4pex5vsknk084sn02q', 'Hello']],
  [['apply']],
  [['promote', 'shop/development', 'shop/production']],
  [['rollback', 'shop/production']],
])(
  '%p waits no longer than --timeout',
  async (words) => {
    const home = await hangingHome()
    writeFileSync(join(home.folder, 'troupe.yaml'), 'version: 1\nproject: { slug: shop }\n')
    const { code, stdout, stderr } = await home.run(...words, '--timeout', '1', '--json')
    expect({ code, stdout }).toEqual({ code: 124, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'timeout', message: 'Stopped waiting after 1 s.' })
  },
  180_000,
)

test.each([[['create-key', 'late']], [['reset-password', 'someone@example.com']]])(
  'admin %p stops waiting for an unresponsive database',
  async (words) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const database = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: () => resolve(), data() {} } })
    const home = await hangingHome()
    const going = home.start(['admin', ...words, '--store', `postgres://troupe@127.0.0.1:${database.port}/troupe`])
    await asked
    going.process.kill('SIGINT')
    expect(await going.ended).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('Interrupted.') })
    database.stop(true)
  },
  180_000,
)

test('a manifest that waits for what never happens fails the command', async () => {
  const home = await hangingHome()
  writeFileSync(join(home.folder, 'troupe.ts'), 'await new Promise(() => {})\nexport default {}\n')
  const { code, stdout, stderr } = await home.run('apply')
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('never happens') })
})

test('a started Apply continues, and the command says so', async () => {
  const apply = { id: 'apl_1', state: 'writing', endedAt: null }
  let isFollowed = false
  const slow = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname.endsWith('/plan')) return Response.json({ data: { digest: 'd', changes: [], issues: [] } })
      if (request.method === 'POST') return Response.json({ data: apply }, { status: 202 })
      isFollowed = true
      return new Promise<Response>(() => {})
    },
  })
  const home = await hangingHome()
  writeFileSync(join(home.folder, 'troupe.yaml'), 'version: 1\nproject: { slug: shop }\n')
  const going = home.start(['apply', '--url', slow.url.href])
  while (!isFollowed) await Bun.sleep(10)
  going.process.kill('SIGINT')
  expect(await going.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('apl_1 goes on') })
  isFollowed = false
  const forPrograms = home.start(['apply', '--url', slow.url.href, '--json'])
  while (!isFollowed) await Bun.sleep(10)
  forPrograms.process.kill('SIGINT')
  const { code, stderr } = await forPrograms.ended
  expect([code, JSON.parse(stderr).error]).toMatchObject([
    130,
    { code: 'interrupted', hints: [expect.stringContaining('apl_1 goes on')] },
  ])
  await slow.stop(true)
})

test.skipIf(!Bun.which('script'))(
  'exits with 130 in a terminal while a spinner is shown',
  async () => {
    const home = await hangingHome()
    const before = silent.pendingRequests
    const command = `${home.commandLine.join(' ')} login --key ${key} --url ${silent.url.href}`
    const child = Bun.spawn(['script', '-qec', command, join(home.folder, 'typescript')], {
      env: { ...home.environment, SHELL: '/bin/sh', NO_COLOR: '1' },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    while (silent.pendingRequests === before) await Bun.sleep(10)
    child.stdin.write('\u0003')
    await child.stdin.flush()
    const said = await new Response(child.stdout).text()
    expect({ code: await child.exited, hasMoved: said.includes('⠋ Asking the server') }).toEqual({
      code: 130,
      hasMoved: true,
    })
  },
  180_000,
)
