/** Finds the server's program for tests that start one. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { TroupeError } from '../client/errors.ts'

/** A server that can be started: `bun main`. */
interface ServerProgram {
  bun: string
  main: string
}

/** The name of a package, or undefined if there is none. */
function packageName(folder: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name
  } catch {
    return undefined
  }
}

const isServer = (folder: string) => packageName(folder) === 'troupe' && existsSync(join(folder, 'src/main.ts'))

/** The package `troupe`, as a test in the working directory would import it. */
function installed(): string[] {
  try {
    const require = createRequire(pathToFileURL(join(process.cwd(), 'package.json')))
    return [dirname(require.resolve('troupe/package.json'))]
  } catch {
    return []
  }
}

/** Bun: this process, or that of the server's packages, or the one in the path. */
function bunFor(folder: string): string {
  if (process.versions.bun) return process.execPath
  const own = join(folder, 'node_modules/.bin/bun')
  if (existsSync(own)) return own
  const inPath = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'bun'))
  const found = inPath.find((each) => existsSync(each))
  if (!found)
    throw new TroupeError('server_not_found', `The server in ${folder} runs on Bun, which is not there: npm ci`)
  return found
}

/**
 * The server in this folder, else in `TROUPE_SERVER`, else in the checkout that contains this package, else in the
 * package `troupe`. Throws `server_not_found`.
 */
export function findServer(folder = process.env.TROUPE_SERVER): ServerProgram {
  // from src/testing and from dist/testing
  const checkout = fileURLToPath(new URL('../../..', import.meta.url))
  const places = folder === undefined ? [checkout, ...installed()] : [resolve(folder)]
  const found = places.find(isServer)
  if (!found) {
    throw new TroupeError(
      'server_not_found',
      folder === undefined
        ? 'There is no server to start: name the folder of a checkout of Troupe, as `server` or in TROUPE_SERVER.'
        : `There is no checkout of Troupe in ${folder}.`,
    )
  }
  return { bun: bunFor(found), main: join(found, 'src/main.ts') }
}
