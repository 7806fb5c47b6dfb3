/** Modules of people, in JavaScript or TypeScript: manifests and workers. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plugin } from 'bun'
import * as sdk from '../sdk/src/index.ts'
import { usageError } from './terminal/exit-codes.ts'

const sdkName = '@troupe/sdk'
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

/** The places of faults in the source, one line each; for what a module throws, the place where it does. */
function placesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(placesOf)
  if (error instanceof BuildMessage) {
    const { position, message } = error
    return position ? [`${position.file}:${position.line}:${position.column}: ${message}`] : [message]
  }
  const thrownAt = error instanceof Error && /^ +at (.+:\d+:\d+\)?)$/m.exec(error.stack ?? '')?.[1]
  return thrownAt ? [`at ${thrownAt}`] : []
}

/** What the file exports. A process can load a module once: later saves need another one. Throws `usage`. */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`)
  const file = resolve(path)
  provideSdk(dirname(file))
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    const message = (error as Partial<Error> | null)?.message ?? String(error)
    const missing = /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message)?.[1]
    const hints = missing === undefined ? [] : [`Install it in the folder of ${path}: npm install ${missing}`]
    throw usageError(`${path} cannot be run: ${message}`, ...placesOf(error), ...hints)
  }
}
