/**
 * The programs that tests start as processes, each in one file. Reading its thousand modules is half of what a start costs,
 * and tests start more than a hundred. They are made anew when a source has changed, and kept among the caches of
 * `node_modules` for all test processes and for the next time.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')
const cache = join(root, 'node_modules/.cache/troupe-tests')

export interface Programs {
  server: string
  runner: string
}

/** As users start them. */
export const sourcePrograms: Programs = { server: 'src/main.ts', runner: 'src/runner/main.ts' }

/** What both start as a process of its own. */
const schemaWorker = 'src/json-schemas/worker-main.ts'
/** A thread of the store. */
const checkPointer = 'storage/sqlite/check-pointer.ts'

/** Of all that goes into a program. */
async function fingerprint(): Promise<string> {
  const found = ['package-lock.json', 'tsconfig.json']
  for (const folder of ['src', 'machines', 'storage']) {
    const inside = new Bun.Glob('**/*.{ts,tsx,json}').scan({ cwd: join(root, folder) })
    for await (const path of inside) found.push(join(folder, path))
  }
  const facts = await Promise.all(
    found.sort().map(async (path) => {
      const { mtimeMs, size } = await stat(join(root, path))
      return `${path} ${mtimeMs} ${size}`
    }),
  )
  return Bun.hash([Bun.version, ...facts].join('\n')).toString(36)
}

async function make(): Promise<string> {
  const folder = join(cache, await fingerprint())
  if (existsSync(folder)) return folder
  const own = `${folder}.${process.pid}`
  await mkdir(own, { recursive: true })
  await Bun.build({
    entrypoints: [...Object.values(sourcePrograms), schemaWorker].map((path) => join(root, path)),
    root: join(root, 'src'),
    outdir: own,
    target: 'bun',
    splitting: true,
  })
  await Bun.build({ entrypoints: [join(root, checkPointer)], outdir: own, target: 'bun' })
  await forgetOld()
  // who comes second has made the same
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }))
  return folder
}

/** Whoever still uses others has made them today. */
async function forgetOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name)
    // another test process may have renamed it at this moment
    const madeAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (madeAt < Date.now() - 86_400_000) await rm(folder, { recursive: true, force: true })
  }
}

let made: Promise<string> | undefined

/** The files to run. */
export async function bundledPrograms(): Promise<Programs> {
  made ??= make()
  const folder = await made
  return { server: join(folder, 'main.js'), runner: join(folder, 'runner/main.js') }
}
