/** Modules of people, in JavaScript or TypeScript: manifests and workers. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plugin } from 'bun'
import * as sdk from '../sdk/src/index.ts'
import { usageError } from './terminal/exit-codes.ts'

const sdkName = '@troupe/sdk'
const require = createRequire(import.meta.url)
let loads = 0
let isProvided = false

/** Provides the SDK of this program to a module whose folder has none. */
function provideSdk(folder: string): void {
  if (isProvided) return
  try {
    Bun.resolveSync(sdkName, folder)
  } catch {
    isProvided = true
    plugin({
      name: sdkName,
      setup: (build) => void build.module(sdkName, () => ({ exports: { ...sdk }, loader: 'object' })),
    })
  }
}

/** Forgets the modules of the folder that were loaded before: they may have been saved since. */
function forgetModules(folder: string): void {
  const own = join(folder, '/')
  for (const path of Object.keys(require.cache)) {
    if (path.startsWith(own) && !path.includes('/node_modules/')) delete require.cache[path]
  }
}

/** What the file exports, as it and the modules of its folder are saved now. Throws `usage`. */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`)
  const file = resolve(path)
  provideSdk(dirname(file))
  forgetModules(dirname(file))
  loads += 1
  try {
    // a module is loaded once for each address, so a saved file gets a new one
    return (await import(`${pathToFileURL(file).href}?${loads}`)) as Record<string, unknown>
  } catch (error) {
    const { message } = error as Error
    const missing = /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message)?.[1]
    const hints = missing === undefined ? [] : [`Install it in the folder of ${path}: npm install ${missing}`]
    throw usageError(`${path} cannot be run: ${message}`, ...hints)
  }
}
