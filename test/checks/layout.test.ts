/** Violations of the source layout that `npm run check` reports. Each line says where the code belongs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const script = join(import.meta.dir, '../../checks/layout.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Checks a tree of these files and returns the report, line by line. */
async function check(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'layout-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const child = Bun.spawn([process.execPath, script, folder], { stdout: 'pipe', stderr: 'pipe' })
  const [exitCode, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
  return { exitCode, lines: said.split('\n').filter(Boolean) }
}

const many = (count: number, path: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [path(index), 'export {}\n']))
const lines = (count: number) => '// a line\n'.repeat(count)

let refused: Awaited<ReturnType<typeof check>>
beforeAll(async () => {
  refused = await check({
    'sdk/src/index.ts': "import '../../machines/run.ts'\nexport const client = 1\n",
    'machines/run.ts': "import type { Row } from '../storage/rows.ts'\n",
    'storage/rows.ts': "import type { Run } from '../src/runs/run.ts'\nexport type Row = Run\n",
    'src/platform/clock.ts': "await import('../runtime/actors.ts')\n",
    'src/runtime/actors.ts': "import { run } from '../runs/run.ts'\nexport const actors = [run]\n",
    'src/runtime/timers.ts': 'export const due = 1\nexport const [late, { soon: later }] = [2, { soon: 3 }]\n',
    'src/runtime/effects.ts': "export * from './timers.ts'\nexport { due as first } from './timers.ts'\n",
    'test/runtime/effects.test.ts': "import { late } from '../../src/runtime/effects.ts'\nlate\n",
    'src/runs/run.ts': 'export interface Run { id: string }\nexport const run = 1\n',
    'src/tenancy/projects.ts': "import '../authoring/agents.ts'\n",
    'src/authoring/agents.ts': 'export {}\n',
    'src/events/one.ts': "import type { Two } from './two.ts'\nexport interface One { two: Two }\n",
    'src/events/two.ts': "import type { One } from './one.ts'\nexport interface Two { one: One }\n",
    'src/runs/routes.ts': "import '../tenancy/projects-routes.ts'\nimport './metrics.ts'\n",
    'src/runs/metrics.ts': 'export {}\n',
    'src/tenancy/projects-routes.ts': 'export {}\n',
    'src/delivery/long.ts': lines(301),
    'src/delivery/long.css': lines(301),
    'test/delivery/long.test.ts': lines(301),
    'src/helpers/text.ts': 'export {}\n',
    ...many(21, (index) => `src/accounts/file-${index}.ts`),
    ...many(21, (index) => `test/accounts/file-${index}.test.ts`),
    ...many(8, (index) => `src/extra-${index}.ts`),
  })
})

const below = (from: string, to: string) => `what it needs belongs in ${from} or below, or ${to} passes it in.`

test.each([
  [
    'the server in its client',
    `sdk/src/index.ts imports machines/run.ts, which lies above it: ${below('sdk/src', 'machines')}`,
  ],
  [
    'a type from a higher layer',
    `machines/run.ts imports storage/rows.ts, which lies above it: ${below('machines', 'storage')}`,
  ],
  [
    'a wing in storage',
    `storage/rows.ts imports src/runs/run.ts, which lies above it: ${below('storage', 'src/runs')}`,
  ],
  [
    'a dynamic import',
    `src/platform/clock.ts imports src/runtime/actors.ts, which lies above it: ${below('src/platform', 'src/runtime')}`,
  ],
  [
    'a wing in the runtime',
    `src/runtime/actors.ts imports src/runs/run.ts, which lies above it: ${below('src/runtime', 'src/runs')}`,
  ],
  [
    'a higher wing',
    `src/tenancy/projects.ts imports src/authoring/agents.ts, which lies above it: ${below('src/tenancy', 'src/authoring')}`,
  ],
  [
    'circular types',
    'src/events/one.ts > src/events/two.ts: a circle. What they share belongs in a file of its own, below them.',
  ],
  [
    "another wing's routes",
    "src/runs/routes.ts imports src/tenancy/projects-routes.ts, which is its wing's own: what both need belongs in a service of src/tenancy.",
  ],
  ['a long file', 'src/delivery/long.ts has 301 lines, 300 at most: its second subject belongs in a file beside it.'],
  [
    'a long style sheet',
    'src/delivery/long.css has 301 lines, 300 at most: its second subject belongs in a file beside it.',
  ],
  [
    'a long test',
    'test/delivery/long.test.ts has 301 lines, 300 at most: its second subject belongs in a file beside it.',
  ],
  [
    'an export that nothing imports',
    "src/runtime/timers.ts exports later, which no other file imports: it is the file's own, or dead.",
  ],
  [
    'an export that passes on a name for nobody',
    "src/runtime/effects.ts exports first, which no other file imports: it is the file's own, or dead.",
  ],
  ['a wide folder', 'src/accounts has 21 files, 20 at most: those of one subject belong in a folder of their own.'],
  [
    'a wide folder of tests',
    'test/accounts has 21 files, 20 at most: those of one subject belong in a folder of their own.',
  ],
  ['a src with too many entries', 'src has 17 entries, 16 at most: a new area belongs in a wing.'],
  ['a folder in no layer', 'src/helpers is in no layer: it belongs in a wing, in src/platform or in src/runtime.'],
])('reports %s', (_, line) => {
  expect(refused.exitCode).toBe(1)
  expect(refused.lines).toContain(line)
})

test('reports nothing else', () => {
  expect(refused.lines.filter((line) => !line.startsWith('src/extra-'))).toHaveLength(17)
})

test('accepts imports that go down or sideways, files of 300 lines, folders of 20 files, and every migration', async () => {
  const taken = await check({
    'machines/run.ts': lines(300),
    'storage/rows.ts': "import '../machines/run.ts'\nexport interface Row { id: string }\n",
    'src/platform/clock.ts': "import type { Row } from '../../storage/rows.ts'\nexport const row: Row = { id: '' }\n",
    'src/automation/jobs.ts': "import { row as first } from '../platform/clock.ts'\nimport './zones.ts'\nfirst\n",
    'src/automation/zones.ts': 'export {}\n',
    ...many(20, (index) => `src/accounts/file-${index}.ts`),
    ...many(30, (index) => `storage/migrations/00${index}.ts`),
    'sdk/src/generated/schemas.ts': lines(301),
  })
  expect(taken).toEqual({ exitCode: 0, lines: [] })
})
