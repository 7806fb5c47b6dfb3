/**
 * What `npm run test:scale` runs, one after the other, since servers that get too little of a machine are taken for dead: those
 * that share a store under faults, and the API suites spread over three servers. Ends with 1 when one of them fails.
 */
import { resolve } from 'node:path'
import { spreadFiles } from './spread.ts'

const root = resolve(import.meta.dir, '../..')
const isLong = process.env.TROUPE_TEST_LONG === '1'

function run(files: readonly string[], options: readonly string[], environment: Record<string, string> = {}) {
  const command = [process.execPath, 'test', '--no-orphans', ...options, ...files]
  const child = Bun.spawn(command, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return child.exited
}

const faults = await Array.fromAsync(new Bun.Glob('*.scale.ts').scan({ cwd: import.meta.dir, absolute: true }))
const codes = [
  await run(faults.toSorted(), ['--parallel=3', `--timeout=${isLong ? 1_800_000 : 600_000}`]),
  await run(await spreadFiles(isLong), ['--parallel=2', '--no-isolate', '--timeout=180000'], {
    TROUPE_TEST_SERVERS: '3',
  }),
]
process.exit(codes.every((code) => code === 0) ? 0 : 1)
