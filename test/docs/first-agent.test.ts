/** "Your first Agent" line by line: the commands do what the page says. */
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endCommands, type Home, openHome } from '../cli/command.ts'
import { startVendor, streaming } from '../runs/providers/vendor-server.ts'
import { frames } from '../runs/providers/wire.ts'
import { blocksOf, programsIn } from './pages-as-scripts.ts'

let home: Home
afterAll(async () => {
  await endCommands()
  await home?.remove()
})

const blocks = blocksOf('docs/first-agent.md')

test('every command of the page does what the page says', async () => {
  home = await openHome()
  const programs = await programsIn(home.folder)
  const environment = { PATH: `${programs}:${process.env.PATH}`, PORT: '0' }
  let cwd = home.folder
  const shell = (text: string) =>
    home.start(['-ec', `${text}\npwd > "$HOME/where"`], { program: ['sh'], cwd, environment })

  let dev: ReturnType<typeof shell> | undefined
  const said: string[] = []
  for (const block of blocks) {
    if (block.trim() === 'troupe dev') {
      dev = home.start([], {
        program: ['troupe', 'dev'].map((word) => (word === 'troupe' ? join(programs, word) : word)),
        cwd,
        environment,
      })
      await dev.says(/Serving the queue support-desk/)
      continue
    }
    const { code, stdout, stderr } = await shell(block).ended
    expect({ block, code, stderr }).toEqual({ block, code: 0, stderr: expect.any(String) })
    said.push(stdout)
    cwd = readFileSync(join(home.folder, 'where'), 'utf8').trim()
    if (block.startsWith('sed ')) await dev?.says(/→ support-desk\/development: 1 to change/)
  }
  const all = said.join('\n')
  for (const words of [
    'Wrote troupe.yaml and worker.ts.',
    'Where is my order A-17?',
    'It is on its way.',
    'lifecycle: provisioning → active',
    'Promoted support-desk/development to production',
    'Rolled support-desk/development back',
    'Good day! What can I do for you?',
  ]) {
    expect(all).toContain(words)
  }
  dev?.process.kill('SIGINT')
  expect((await dev?.ended)?.code).toBe(0)
})

/** The vendors' settings on the page: one command per line, with a placeholder for the key. */
const vendorLines = blocksOf('docs/first-agent.md', 'text').flatMap((block) => block.trim().split('\n'))

test.each([
  ['anthropic', 'TROUPE_ANTHROPIC_BASE_URL', 'anthropic'],
  ['openai', 'TROUPE_OPENAI_BASE_URL', 'openaiChat'],
] as const)(
  'a key of %s suffices to use its models',
  async (provider, baseUrl, wire) => {
    const line = vendorLines.find((each) => each.includes(`=${provider} `))?.replace(/(sk-\S*)…/, '$1test') ?? ''
    const vendor = startVendor(
      ...[1, 2].map(() => streaming(frames[wire]({ text: ['Hello from the vendor.'], finish: 'stop' }))),
    )
    const own = await openHome()
    try {
      const PATH = `${await programsIn(own.folder)}:${process.env.PATH}`
      const environment = { PATH, PORT: '0', [baseUrl]: vendor.url }
      expect((await own.run('init', 'support-desk', '--folder', 'desk')).code).toBe(0)
      const cwd = join(own.folder, 'desk')
      const dev = own.start(['-c', `exec env ${line}`], { program: ['sh'], cwd, environment })
      await dev.says(/Serving the queue support-desk/)
      const words = ['run', 'support-desk/development/support-desk', 'Hello']
      const { code, stdout } = await own.start(words, { cwd, environment }).ended
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Hello from the vendor.') })
      dev.process.kill('SIGINT')
      await dev.ended
    } finally {
      await endCommands()
      await own.remove()
    }
    expect(vendor.asked.length).toBeGreaterThan(0)
  },
  180_000,
)
