/** Ctrl-C, also at a terminal. */
import { afterAll, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { endCommands, type Home, openHome } from './command.ts'

const main = resolve(import.meta.dir, '../../cli/main.ts')
const silent = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) })
const key = `trp_${'0'.repeat(49)}`
const homes: Home[] = []
afterAll(async () => {
  await endCommands()
  await silent.stop(true)
  for (const home of homes) await home.remove()
})

async function impatientHome() {
  const home = await openHome({ TROUPE_URL: silent.url.href, TROUPE_API_KEY: key, TERM: 'xterm' })
  homes.push(home)
  return home
}

test.each([
  [['whoami']],
  [['run', 'shop/development/clerk', 'Hello']],
  [['runs', 'list']],
  [['runs', 'watch', 'run_01h455vb4pex5vsknk084sn02q']],
  [['logs', 'shop/development', '-f']],
  [['keys', 'list']],
  [['chart', 'run']],
  [['webhooks', 'listen', 'shop/development', '--to', 'http://localhost:9']],
])(
  '%p lets go of a server that does not answer',
  async (words) => {
    const home = await impatientHome()
    const before = silent.pendingRequests
    const going = home.start(words)
    while (silent.pendingRequests === before) await Bun.sleep(10)
    going.process.kill('SIGINT')
    expect(await going.ended).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('Interrupted.') })
  },
  30_000,
)

test.skipIf(!Bun.which('script'))(
  'ends with 130 at a terminal, where something moves meanwhile',
  async () => {
    const home = await impatientHome()
    const before = silent.pendingRequests
    const command = `${process.execPath} ${main} login --key ${key} --url ${silent.url.href}`
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
  30_000,
)
