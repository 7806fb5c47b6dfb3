/**
 * Builds the package into `dist`: plain ESM with types.
 *
 *     node build.js                  # or: npm run build
 *     node build.js --if-possible    # does nothing where the compiler is not installed, as after npm ci --omit=dev
 *     node build.js --out <folder>
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'if-possible': { type: 'boolean' }, out: { type: 'string' } } })
const root = import.meta.dirname
const out = resolve(values.out ?? join(root, 'dist'))

/** The compiler, or undefined where it, or the types that it reads, are not installed. */
function compiler() {
  const { resolve: find } = createRequire(import.meta.url)
  try {
    find('@types/node/package.json')
    return find('typescript/bin/tsc')
  } catch {
    return undefined
  }
}

const tsc = compiler()
if (!tsc) {
  if (values['if-possible']) process.exit(0)
  console.error('The package is built by typescript, which is not installed, or the types of Node.js are not: npm ci')
  process.exit(1)
}
rmSync(out, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, '-p', root, '--outDir', out], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// the compiler writes the names of compiled files into programs, but not into their types
for (const { parentPath, name } of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!name.endsWith('.d.ts')) continue
  const file = join(parentPath, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
}
