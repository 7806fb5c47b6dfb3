/** `troupe dev` in an empty folder, from the checkout and from the published package. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { call, say, script } from '@troupe/sdk/testing'
import { within } from '../support/process.ts'
import { endCommands, type Home, openHome } from './command.ts'

const root = resolve(import.meta.dir, '../..')
const homes: Home[] = []
afterEach(endCommands)
afterAll(async () => {
  for (const home of homes) await home.remove()
})

async function emptyHome(environment?: Record<string, string>) {
  const home = await openHome(environment)
  homes.push(home)
  return home
}

test('serves the folder, keeps its data, and is the profile dev', async () => {
  const home = await emptyHome()
  const first = home.start(['dev', '--port', '0', '--json'])
  const [, url] = await first.says(/"url":"([^"]+)"/)
  expect((await home.run('whoami', '--json')).json()).toMatchObject({ url })
  const run = await home.run('run', 'agt_system_assistant', '--detach', script(say('Hello.')))
  expect(run.code).toBe(0)
  first.process.kill('SIGINT')
  expect(await first.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('The server has stopped') })
  expect(statSync(join(home.folder, '.troupe')).mode & 0o777).toBe(0o700)
  expect(statSync(join(home.folder, '.troupe/dev.json')).mode & 0o777).toBe(0o600)

  const second = home.start(['dev', '--port', '0'])
  await second.says(/Console +http/)
  expect((await home.run('runs', 'show', run.stdout.trim())).code).toBe(0)
  // a folder can have one server
  const third = await home.start(['dev', '--port', '0']).ended
  expect(third).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another server') })
  second.process.kill('SIGTERM')
  expect((await second.ended).code).toBe(0)
})

test("applies the folder's manifest on every save, runs its worker, and reports errors", async () => {
  const home = await emptyHome()
  expect((await home.run('init', 'support-desk')).code).toBe(0)
  const dev = home.start(['dev', '--port', '0'])
  await dev.says(/✓ troupe\.yaml → support-desk\/development: 6 to create/)
  await dev.says(/Serving the queue support-desk/)
  const file = join(home.folder, 'troupe.yaml')
  const text = await readFile(file, 'utf8')
  await Bun.write(file, text.replace('kind: builtin', 'kind: nonsense'))
  await dev.says(/✗ troupe\.yaml has a problem; nothing was changed\./)
  await Bun.write(file, text.replace('You answer customers', 'You kindly answer customers'))
  await dev.says(/✓ troupe\.yaml → support-desk\/development: 1 to change/)
  const asked = script(call('find_order', { orderNumber: 'A-17' }), say('Found it.'))
  const run = await home.run('run', 'support-desk/development/support-desk', asked, '--json')
  expect(run.stdout).toContain('Desk lamp')
  dev.process.kill('SIGINT')
  const { code, stderr } = await dev.ended
  expect(code).toBe(0)
  // the worker ends before the server that it answers to
  expect(stderr).not.toContain('No answer to')
})

test('applies every file that is saved at once, with the modules that it imports, and restarts the worker', async () => {
  const home = await emptyHome()
  const write = (name: string, text: string) => Bun.write(join(home.folder, name), text)
  const manifest =
    "import { instructions } from './words.ts'\n" +
    "export default { version: 1, project: { slug: 'desk' }, agents: { clerk: { content: { instructions } } } }\n"
  const worker = (queue: string) => `export const queue = '${queue}'\nexport const operations = { 'a.b': () => 1 }\n`
  await write('troupe.ts', manifest)
  await write('words.ts', "export const instructions = 'Be brief.'\n")
  await write('worker.ts', worker('first'))
  const dev = home.start(['dev', '--port', '0'])
  await dev.says(/✓ troupe\.ts → desk\/development: \d+ to create/)
  await dev.says(/Serving the queue first of desk/)
  await write('words.ts', "export const instructions = 'Be kind.'\n")
  await write('worker.ts', worker('second'))
  await dev.says(/✓ troupe\.ts → desk\/development: 1 to change/)
  await dev.says(/Serving the queue second of desk/)
  // another Project in the same file
  await write('troupe.ts', manifest.replace("'desk'", "'other'"))
  await dev.says(/Serving the queue second of other/)
  dev.process.kill('SIGINT')
  expect((await dev.ended).code).toBe(0)
})

test.each([
  ['has a fault', "export const instructions = 'Be brief.\n", /✗ .*Unterminated.*\n.*words\.ts:1:/],
  ['throws', "throw new Error('No words.')\nexport const instructions = ''\n", /✗ .*No words\.\n.*words\.ts:1:/],
  ['exports another name', "export const others = ''\n", /✗ .*instructions.* not found/],
  ['ends the process', 'process.exit(3)\nexport const instructions = 0\n', /✗ .*ended before it exported a manifest/],
])('applies a manifest again whose imported module %s, once that is mended', async (_, broken, told) => {
  const home = await emptyHome()
  const write = (name: string, text: string) => Bun.write(join(home.folder, name), text)
  await write('words.ts', "export const instructions = 'Be brief.'\n")
  await write(
    'troupe.ts',
    "import { instructions } from './words.ts'\n" +
      "console.log('Reads its manifest.')\n" +
      "export default { version: 1, project: { slug: 'desk' }, agents: { clerk: { content: { instructions } } } }\n",
  )
  const dev = home.start(['dev', '--port', '0'])
  await dev.says(/✓ troupe\.ts → desk\/development: \d+ to create/)
  await write('words.ts', broken)
  await dev.says(told)
  await write('words.ts', "export const instructions = 'Be kind.'\n")
  await dev.says(/✓ troupe\.ts → desk\/development: 1 to change/)
  dev.process.kill('SIGINT')
  const { code, stdout } = await dev.ended
  expect([code, stdout.includes('Reads its manifest.')]).toEqual([0, false])
})

test.each<[string, string, (folder: string) => unknown]>([
  ['a module of a folder', 'texts/words.ts', () => {}],
  ['what a link leads to', '../words.ts', (folder) => symlinkSync('../words.ts', join(folder, 'words.ts'))],
])('notices a save of %s', async (_, saved, prepare) => {
  const home = await emptyHome()
  const folder = join(home.folder, 'desk')
  const save = (path: string, text: string) => Bun.write(join(folder, path), text)
  mkdirSync(folder)
  await save(saved, "export const instructions = 'Be brief.'\n")
  prepare(folder)
  await save(
    'troupe.ts',
    `import { instructions } from './${saved.replace('../', '')}'\n` +
      "export default { version: 1, project: { slug: 'desk' }, agents: { clerk: { content: { instructions } } } }\n",
  )
  const dev = home.start(['dev', '--port', '0'], { cwd: folder })
  await dev.says(/✓ troupe\.ts → desk\/development: \d+ to create/)
  await save(saved, "export const instructions = 'Be kind.'\n")
  await dev.says(/✓ troupe\.ts → desk\/development: 1 to change/)
  dev.process.kill('SIGINT')
  expect((await dev.ended).code).toBe(0)
})

test('saves during an Apply share the next one', async () => {
  const home = await emptyHome()
  const save = (instructions: string) =>
    Bun.write(
      join(home.folder, 'troupe.ts'),
      "import { existsSync } from 'node:fs'\n" +
        "console.log('Reads its manifest.')\n" +
        "while (!existsSync('open')) await new Promise((resolve) => setTimeout(resolve, 10))\n" +
        `const content = { instructions: '${instructions}' }\n` +
        "export default { version: 1, project: { slug: 'desk' }, agents: { clerk: { content } } }\n",
    )
  await save('Be brief.')
  const dev = home.start(['dev', '--port', '0'])
  await dev.says(/Reads its manifest/)
  for (const word of ['kind', 'quick', 'calm']) {
    await save(`Be ${word}.`)
    // longer than files settle
    await Bun.sleep(200)
  }
  await Bun.write(join(home.folder, 'open'), '')
  await dev.says(/development: 1 to change/)
  // time for further ones
  await Bun.sleep(1_000)
  dev.process.kill('SIGINT')
  const { stdout } = await dev.ended
  expect(stdout.match(/→ desk\/development: /g)).toHaveLength(2)
})

test.each(['HTTP_PROXY', 'http_proxy'])('reaches its server beside the proxy of %s', async (name) => {
  // nothing listens there
  const home = await emptyHome({ [name]: 'http://127.0.0.1:9', no_proxy: 'example.com' })
  expect((await home.run('init', 'support-desk')).code).toBe(0)
  const dev = home.start(['dev', '--port', '0'])
  await dev.says(/✓ troupe\.yaml → support-desk\/development: \d+ to create/)
  await dev.says(/Serving the queue support-desk/)
  expect((await home.run('whoami')).code).toBe(0)
  dev.process.kill('SIGINT')
  expect((await dev.ended).code).toBe(0)
})

test('says that its worker has ended, and starts it again when the manifest or the worker is saved', async () => {
  const home = await emptyHome()
  expect((await home.run('init', 'support-desk')).code).toBe(0)
  const [manifest, worker] = ['troupe.yaml', 'worker.ts'].map((name) => join(home.folder, name)) as [string, string]
  const text = await readFile(worker, 'utf8')
  await Bun.write(worker, 'process.exit(7)\n')
  const dev = home.start(['dev', '--port', '0'])
  const isSaid = (times: number, pattern: RegExp) => dev.says(new RegExp(`(${pattern.source}[^]*){${times}}`))
  await isSaid(1, /The worker has ended with code 7\. It starts again at the next save\./)
  await Bun.write(manifest, `${await readFile(manifest, 'utf8')}\n`)
  await isSaid(2, /The worker has ended with code 7/)
  await Bun.write(worker, text)
  await dev.says(/Serving the queue support-desk/)
  dev.process.kill('SIGINT')
  const { code, stderr } = await dev.ended
  expect([code, stderr.match(/The worker has ended/g)?.length]).toEqual([0, 2])
})

test('that is killed ends its server and its worker too, and the next one continues on the store', async () => {
  const home = await emptyHome()
  expect((await home.run('init', 'support-desk')).code).toBe(0)
  const killed = home.start(['dev', '--port', '0'])
  await killed.says(/Serving the queue support-desk/)
  killed.process.kill('SIGKILL')
  // the server and the worker would keep its output open
  await within(killed.ended, 'an end of all that it has started', killed.said)
  const next = home.start(['dev', '--port', '0'])
  await next.says(/troupe\.yaml → support-desk\/development: nothing to change/)
  await next.says(/Serving the queue support-desk/)
  next.process.kill('SIGINT')
  expect((await next.ended).code).toBe(0)
})

test("shows the server's log", async () => {
  const home = await emptyHome({ LOG_LEVEL: 'info' })
  const dev = home.start(['dev', '--port', '0', '--json'])
  await dev.says(/"url":"http/)
  dev.process.kill('SIGINT')
  const { stdout, stderr } = await dev.ended
  const logged = '"msg":"tenants may name private addresses'
  expect(stderr).toContain(logged)
  expect(stdout).not.toContain(logged)
})

test('works from the published package, without development dependencies', async () => {
  const home = await emptyHome()
  const packed = Bun.spawnSync(['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', home.folder], {
    cwd: root,
  })
  const [{ filename }] = JSON.parse(packed.stdout.toString()) as [{ filename: string }]
  const modules = join(home.folder, 'node_modules')
  mkdirSync(join(modules, 'troupe'), { recursive: true })
  const unpacked = Bun.spawnSync([
    'tar',
    '-xzf',
    join(home.folder, filename),
    '--strip-components=1',
    '-C',
    join(modules, 'troupe'),
  ])
  expect(unpacked.exitCode).toBe(0)
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>
  }
  for (const [path, { dev, link }] of Object.entries(lock.packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || dev || link || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(home.folder, path)), { recursive: true })
    symlinkSync(join(root, path), join(home.folder, path))
  }
  const folder = join(home.folder, 'empty')
  mkdirSync(folder)
  const program = [Bun.which('node') as string, join(modules, 'troupe/cli/bin.js')]
  expect((await home.start(['init', 'tutor', '--folder', '../tutor'], { program, cwd: folder }).ended).code).toBe(0)
  const going = home.start(['dev', '--port', '0', '--json'], { program, cwd: folder })
  const [, url = ''] = await going.says(/"url":"([^"]+)"/)
  // the console is bundled from its sources
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  const [, code = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
  expect(code).not.toBe('')
  expect((await fetch(new URL(code, url))).headers.get('content-type')).toContain('javascript')
  expect((await home.run('run', 'agt_system_assistant', script(say('Hello.')))).stdout).toBe('Hello.\n')
  going.process.kill('SIGTERM')
  expect((await going.ended).code).toBe(0)
})

test('the image contains everything that the package contains', async () => {
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const copied = [...(await readFile(join(root, 'Dockerfile'), 'utf8')).matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(
    ([, names = '']) => names.split(' '),
  )
  expect(files.filter((file) => !copied.includes(file))).toEqual([])
})
