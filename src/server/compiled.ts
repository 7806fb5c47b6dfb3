/**
 * The server as one compiled file, which starts in half the time of its thousand sources. `compile.ts` writes it, and beside
 * it the packages that are loaded late, when the dependencies are installed; it is used as long as the sources are those
 * that it was compiled from.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')

export const compiledFolder = join(root, 'dist/server')
const programName = 'program.js'
/** The file beside the program that names its sources. */
export const fingerprintName = 'fingerprint'

const sourceFolders = ['machines', 'sdk/src', 'src', 'storage']
/** As far as they are there: an image of a container has no lock file. */
const otherSources = ['package.json', 'package-lock.json', 'tsconfig.json']
/** The browser's part is bundled at run time, and left out. */
const isSource = (folder: string, name: string) => /\.(?:ts|json|md|sql)$/.test(name) && !folder.includes('src/console')

/**
 * Names the sources by their paths, sizes and times of change. The times count in whole seconds, since images of
 * containers keep no more.
 */
export function fingerprint(): string {
  const found = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isSource(entry.parentPath, entry.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
  const others = otherSources.map((name) => join(root, name)).filter((path) => existsSync(path))
  const facts = [...found, ...others].sort().map((path) => {
    const { mtimeMs, size } = statSync(path)
    return `${path} ${Math.floor(mtimeMs / 1000)} ${size}`
  })
  return Bun.hash([Bun.version, ...facts].join('\n')).toString(36)
}

/** The path of the compiled program; undefined if there is none of the present sources. */
export function compiledProgram(): string | undefined {
  try {
    const program = join(compiledFolder, programName)
    const isCurrent = readFileSync(join(compiledFolder, fingerprintName), 'utf8') === fingerprint()
    return isCurrent && existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}
