/** The compiled server: used as long as its sources are those that it was compiled from, on a checkout with a small program. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../../..')
/** It prints where it runs, and its arguments. */
const program = `
const place = new Error().stack.includes('dist/server/program.js') ? 'compiled' : 'from its sources'
console.log(place, ...process.argv.slice(2))
`

let home: string
let checkout: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'troupe-compiled-'))
  checkout = join(home, 'troupe')
  for (const folder of ['machines', 'sdk/src', 'storage', 'src/server', 'src/console', 'src/platform/json-schemas'])
    mkdirSync(join(checkout, folder), { recursive: true })
  for (const file of ['src/main.ts', 'src/server/compile.ts', 'src/server/compiled.ts', 'tsconfig.json'])
    cpSync(join(root, file), join(checkout, file))
  writeFileSync(join(checkout, 'package.json'), '{}')
  for (const file of ['src/console/page.ts', 'storage/tables.ts']) writeFileSync(join(checkout, file), '// nothing\n')
  writeFileSync(join(checkout, 'src/server/program.ts'), program)
  writeFileSync(join(checkout, 'src/platform/json-schemas/worker-main.ts'), "console.log('checks')\n")
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const child = Bun.spawn([process.execPath, ...args], { cwd: home, stdout: 'pipe', stderr: 'pipe' })
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, said: stdout + stderr }
}
const start = async () => (await run(join(checkout, 'src/main.ts'), '--port', '1')).said.trim()
const compile = (...args: string[]) => run(join(checkout, 'src/server/compile.ts'), ...args)
const touch = (file: string) => {
  const later = Date.now() / 1_000 + 5
  utimesSync(join(checkout, file), later, later)
}

test('a server runs from its sources until it is compiled, and again once they change', async () => {
  expect(await start()).toBe('from its sources --port 1')
  expect(await compile()).toEqual({ code: 0, said: '' })
  expect(await start()).toBe('compiled --port 1')
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['server'])

  // the console is bundled when the server runs
  touch('src/console/page.ts')
  expect(await start()).toBe('compiled --port 1')
  touch('storage/tables.ts')
  expect(await start()).toBe('from its sources --port 1')
  expect(await compile()).toEqual({ code: 0, said: '' })
  expect(await start()).toBe('compiled --port 1')
  rmSync(join(checkout, 'dist/server/program.js'))
  expect(await start()).toBe('from its sources --port 1')
})

test('the process that checks JSON Schemas is compiled with it, as a program of its own', async () => {
  const telling = 'console.log(typeof compiledSchemaWorker === "string" && compiledSchemaWorker)\n'
  writeFileSync(join(checkout, 'src/server/program.ts'), telling)
  expect(await compile()).toEqual({ code: 0, said: '' })
  const worker = await start()
  expect(worker).toBe(join(checkout, 'dist/server/schema-worker.js'))
  expect(await run(worker)).toEqual({ code: 0, said: 'checks\n' })
  writeFileSync(join(checkout, 'src/server/program.ts'), program)
})

test('the preparation by npm, which npx repeats, compiles only sources that have changed', async () => {
  const { scripts } = await Bun.file(join(root, 'package.json')).json()
  expect(scripts.prepare).toEndWith('src/server/compile.ts --if-changed')
  const compiled = () => statSync(join(checkout, 'dist/server')).ino
  await compile()
  const before = compiled()
  expect(await compile('--if-changed')).toEqual({ code: 0, said: '' })
  expect(compiled()).toBe(before)
  rmSync(join(checkout, 'dist/server/program.js'))
  expect(await compile('--if-changed')).toEqual({ code: 0, said: '' })
  expect(await start()).toBe('compiled --port 1')
})

test('packages that are loaded late are not in the program, each in the version of the package that imports it', async () => {
  const install = (name: string, main: string, exports: object = { '.': './index.mjs' }) => {
    const folder = join(checkout, 'node_modules', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, exports }))
    writeFileSync(join(folder, 'index.mjs'), main)
  }
  const shared = { './v4': './index.mjs' }
  install('zod', "export const version = 'the newer zod'", shared)
  install('stripe', "import { version } from 'zod/v4'\nexport class Stripe { says = 'stripe with ' + version }")
  install('nodemailer/node_modules/zod', "export const version = 'the older zod'", shared)
  install('nodemailer', "import * as zod from 'zod/v4'\nexport default { says: 'nodemailer with ' + zod.version }")
  writeFileSync(
    join(checkout, 'src/server/payments.ts'),
    "import { Stripe } from 'stripe'\nexport const made = new Stripe()\n",
  )
  const late = `
const { made } = await import('./payments.ts')
const { default: mailer } = await import('nodemailer')
console.log(made.says, 'and', mailer.says)
`
  writeFileSync(
    join(checkout, 'src/server/program.ts'),
    `const says = async () => {${late}}\n${program}\nvoid says()\n`,
  )
  expect(await compile()).toEqual({ code: 0, said: '' })

  const said = 'stripe with the newer zod and nodemailer with the older zod'
  expect(await start()).toBe(`compiled --port 1\n${said}`)
  const compiled = readFileSync(join(checkout, 'dist/server/program.js'), 'utf8')
  for (const text of ['stripe with', 'nodemailer with', 'the newer zod', 'the older zod'])
    expect(compiled).not.toContain(text)
  writeFileSync(join(checkout, 'src/server/program.ts'), program)
})

test('a checkout that was moved runs from its sources', async () => {
  await compile()
  const before = checkout
  checkout = join(home, 'elsewhere')
  renameSync(before, checkout)
  expect(await start()).toBe('from its sources --port 1')
})

test('an installation does not fail where the server cannot be compiled', async () => {
  writeFileSync(join(checkout, 'src/server/program.ts'), "import './gone.ts'\n")
  const { code, said } = await compile()
  expect(code).toBe(0)
  expect(said).toStartWith('The server was not compiled, so it takes longer to start: ')
  expect(said.trim().split('\n')).toHaveLength(1)
})
