/** "To production" line by line, on a server that is started like the systemd unit starts it. */
import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endCommands, type Going, type Home, openHome } from '../cli/command.ts'
import { startVendor, streaming } from '../runs/providers/vendor-server.ts'
import { frames } from '../runs/providers/wire.ts'
import { api } from '../support/client.ts'
import { bundledPrograms } from '../support/programs.ts'
import { bootstrapKey as key } from '../support/stores/used-store.ts'
import { blocksOf, programsIn, root } from './pages-as-scripts.ts'

const page = 'docs/production.md'

let home: Home
let control: ReturnType<typeof Bun.serve> | undefined
afterAll(async () => {
  await control?.stop(true)
  await endCommands()
  await home?.remove()
})

/** The settings of a file for systemd or compose: `NAME=value` a line. */
const settingsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name as string, value as string]),
  )

test('every command of the page does what the page says', async () => {
  home = await openHome()
  const checkout = join(home.folder, 'opt')
  const data = join(home.folder, 'data')
  const backups = join(home.folder, 'backup')
  for (const folder of [checkout, data, backups]) mkdirSync(folder)
  cpSync(join(root, 'deploy'), join(checkout, 'deploy'), { recursive: true })
  const vendor = startVendor(streaming(frames.anthropic({ text: ['Hello from the vendor.'], finish: 'stop' })))

  /** The server of the unit: its program, its settings, and what the page has added to the environment file. */
  const unit = readFileSync(join(checkout, 'deploy/troupe.service'), 'utf8')
  const [, program] = /^ExecStart=\S+\/bun (.+)$/m.exec(unit) ?? []
  expect(program).toBe('src/main.ts')
  const { server: sameProgram } = await bundledPrograms()
  const ofUnit = settingsIn(unit.replaceAll(/^Environment=/gm, '').replaceAll('/var/lib/troupe', data))
  let server: Going | undefined
  let url = ''
  async function startServer() {
    const filled = settingsIn(readFileSync(join(checkout, 'deploy/troupe.env'), 'utf8'))
    const environment = { ...ofUnit, ...filled, PORT: '0', TROUPE_ANTHROPIC_BASE_URL: vendor.url }
    server = home.start([sameProgram], { program: [process.execPath], cwd: root, environment })
    const [, port = ''] = await server.says(/ready at http:\/\/[^:]+:(\d+)/)
    url = `http://127.0.0.1:${port}`
  }
  async function stopServer() {
    server?.process.kill('SIGTERM')
    expect((await server?.ended)?.code).toBe(0)
    server = undefined
  }
  const commands: Record<string, () => Promise<void>> = {
    start: startServer,
    stop: stopServer,
  }
  control = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(1)
      if (name === 'assert-stopped') return new Response(null, { status: server ? 409 : 200 })
      await commands[name]?.()
      return new Response()
    },
  })
  const programs = await programsIn(home.folder, {
    systemctl: `[ "$2" = troupe ] && exec curl -fsS "${control.url}$1"`,
    // the checkout is the newest version; nothing is replaced under a running server
    git: `[ "$*" = pull ] && curl -fsS "${control.url}assert-stopped"`,
    npm: '[ "$*" = "ci --omit=dev" ]',
  })

  const said: string[] = []
  for (const block of blocksOf(page)) {
    const text = block
      .replaceAll('https://troupe.example.com', url)
      .replaceAll('http://127.0.0.1:3000', url)
      .replaceAll('/var/lib/troupe', data)
      .replaceAll('/opt/troupe', checkout)
      .replaceAll('/backup/', `${backups}/`)
      .replaceAll('-o troupe ', '')
    const environment = {
      PATH: `${programs}:${process.env.PATH}`,
      TROUPE_API_KEY: key,
      TROUPE_METRICS_TOKEN: 'metrics-token',
      ...(url && { TROUPE_URL: url }),
    }
    const { code, stdout, stderr } = await home.start(['-ec', text], { program: ['sh'], cwd: checkout, environment })
      .ended
    expect({ block, code, stderr }).toEqual({ block, code: 0, stderr: expect.any(String) })
    said.push(stdout)
    const masterKey = /^k1:\S+/m.exec(stdout)?.[0]
    if (masterKey) {
      const path = join(checkout, 'deploy/troupe.env')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      const filled = readFileSync(path, 'utf8')
        .replace('TROUPE_MASTER_KEYS=\n', `TROUPE_MASTER_KEYS=${masterKey}\n`)
        .replace('TROUPE_PLATFORM_API_KEY=\n', 'TROUPE_PLATFORM_API_KEY=sk-ant-test\n')
        .replace('TROUPE_METRICS_TOKEN=\n', 'TROUPE_METRICS_TOKEN=metrics-token\n')
      writeFileSync(path, `${filled}TROUPE_BOOTSTRAP_API_KEY=${key}\n`)
    }
    if (block === 'systemctl start troupe\n') {
      // the page refers to an existing Project
      await api(url, key).post('/api/v1/projects', { name: 'Shop', slug: 'shop' })
    }
  }
  const all = said.join('\n')
  for (const words of ['Hello from the vendor.', 'shop-backend', 'is sound.', 'troupe_', 'trp_'])
    expect(all).toContain(words)
})
