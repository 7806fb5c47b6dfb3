/**
 * Builds the package into `dist`: plain ESM with types.
 *
 *     node build.js                  # or: npm run build
 *     node build.js --if-possible    # does nothing where the compiler is not installed, as after npm ci --omit=dev
 *     node build.js --if-changed     # does nothing if neither the sources nor `dist` have changed since the last build
 *     node build.js --out <folder>
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { 'if-possible': { type: 'boolean' }, 'if-changed': { type: 'boolean' }, out: { type: 'string' } },
})
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

/** The paths of all files in a folder, in order. */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()

/** The digest of a build: its sources, its compiler and its output. */
function digestOfBuild() {
  const digest = createHash('sha256')
  const compilerPackage = createRequire(import.meta.url).resolve('typescript/package.json')
  const inputs = [compilerPackage, join(root, 'build.js'), join(root, 'tsconfig.json')]
  for (const file of [...inputs, ...filesIn(join(root, 'src')), ...filesIn(out)])
    digest.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return digest.digest('hex')
}

/** The digest of the last build of `dist`. */
const record = join(root, '../node_modules/.cache/troupe-sdk/build')

function isUnchanged() {
  try {
    return readFileSync(record, 'utf8') === digestOfBuild()
  } catch {
    return false
  }
}

const tsc = compiler()
if (!tsc) {
  if (values['if-possible']) process.exit(0)
  console.error('The package is built by typescript, which is not installed, or the types of Node.js are not: npm ci')
  process.exit(1)
}
if (values['if-changed'] && isUnchanged()) process.exit(0)
rmSync(record, { force: true })
rmSync(out, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, '-p', root, '--outDir', out], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// the compiler writes the names of compiled files into programs, but not into their types
for (const { parentPath, name } of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!name.endsWith('.d.ts')) continue
  const file = join(parentPath, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
}

if (values.out === undefined) {
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, digestOfBuild())
}
