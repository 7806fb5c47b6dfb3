/** "Your first Agent" line by line: what the page says is what happens. */
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { endCommands, type Home, openHome } from '../cli/command.ts'

const root = resolve(import.meta.dir, '../..')
let home: Home
afterAll(async () => {
  await endCommands()
  await home?.remove()
})

/** Each block of commands, in order. */
const blocks = [...readFileSync(join(root, 'docs/first-agent.md'), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, text]) => text as string,
)

test('every command of the page does what the page says', async () => {
  home = await openHome()
  const programs = join(home.folder, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'troupe'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'cli/main.ts')}" "$@"\n`)
  chmodSync(join(programs, 'troupe'), 0o755)
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
}, 120_000)
