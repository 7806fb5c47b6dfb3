/**
 * The programs that tests start as processes, each bundled into one file with its bytecode. Reading and compiling a
 * thousand modules is half of a start or more, and tests start more than four hundred servers and as many commands. The
 * programs are rebuilt when a source has changed, and kept among the caches of `node_modules` for all test processes
 * and later runs.
 */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { compile, compileSchemaWorker } from '../../src/server/compile.ts'

const root = resolve(import.meta.dir, '../..')
const cache = join(root, 'node_modules/.cache/troupe-tests')

export interface Programs {
  server: string
  runner: string
  /** `troupe`; the servers, workers and jobs that it starts are among these programs too. */
  commandLine: string
  /** A folder with the parts of a checkout that `startTestServer` needs; its `src/main.ts` is this server. */
  checkout: string
}

/** The programs that users start. */
const sourcePrograms = { server: 'src/server/program.ts', runner: 'src/runs/runner/main.ts' }
const commandLine = 'cli/main.ts'
/** The processes that the command line starts, besides itself and a server. */
const workApart = 'cli/admin/apart-main.ts'
const manifestApart = 'cli/manifest/apart-main.ts'

/** A hash of all sources of the programs, and of this file. */
async function fingerprint(): Promise<string> {
  const found = ['package-lock.json', 'tsconfig.json', 'test/support/programs.ts']
  for (const folder of ['cli', 'machines', 'sdk/src', 'src', 'storage']) {
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
  await mkdir(cache, { recursive: true })
  // test processes start at the same moment: one builds the programs, and the others wait
  while (!existsSync(folder)) {
    if (isBeingMade(folder)) await Bun.sleep(20)
    else await makeIn(folder)
  }
  return folder
}

const makerFile = (folder: string) => `${folder}.pid`

/** Whether another live process is building it. */
function isBeingMade(folder: string): boolean {
  try {
    return process.kill(Number(readFileSync(makerFile(folder), 'utf8')), 0)
  } catch {
    return false
  }
}

async function makeIn(folder: string): Promise<void> {
  const own = `${folder}.${process.pid}`
  await writeFile(makerFile(folder), `${process.pid}`)
  try {
    for (const path of Object.values(sourcePrograms))
      await compile(join(root, path), own, { root: join(root, 'src'), finally: folder })
    await compileSchemaWorker(own)
    await bundleCommandLine(own, programsIn(folder))
    await writeCheckout(join(own, 'checkout'), programsIn(folder))
    await removeOld()
    // two that start at the same moment build the same programs
    await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }))
  } finally {
    await rm(makerFile(folder), { force: true })
  }
}

const withBytecode = { format: 'cjs', bytecode: true } as const

/** The files of the command line that start a program, and the bundled program for each. */
const startedBy = (programs: Programs): Record<string, [said: string, program: string]> => ({
  'cli/commands/dev.ts': ["join(import.meta.dir, '../../src/main.ts')", programs.server],
  'cli/manifest/folder-work.ts': ["join(import.meta.dir, '../main.ts')", programs.commandLine],
  'cli/admin/apart.ts': [
    "join(import.meta.dir, 'apart-main.ts')",
    join(dirname(programs.commandLine), relative('cli', compiled(workApart))),
  ],
  'cli/manifest/apart.ts': [
    "join(import.meta.dir, 'apart-main.ts')",
    join(dirname(programs.commandLine), relative('cli', compiled(manifestApart))),
  ],
})

/** The command line itself, changed only in where it finds programs; all other files it finds among its sources. */
async function bundleCommandLine(outdir: string, programs: Programs): Promise<void> {
  const started = startedBy(programs)
  await Bun.build({
    entrypoints: [join(root, commandLine), join(root, workApart), join(root, manifestApart)],
    root,
    outdir,
    target: 'bun',
    ...withBytecode,
    plugins: [
      {
        name: 'places',
        setup(build) {
          build.onLoad({ filter: /^(?!.*node_modules).*\.ts$/ }, async ({ path }) => {
            let contents = await Bun.file(path).text()
            const [said, program] = started[relative(root, path)] ?? []
            if (said && !contents.includes(said)) throw new Error(`${path} does not contain ${said} any more.`)
            if (said) contents = contents.replace(said, JSON.stringify(program))
            return { contents: contents.replaceAll('import.meta.dir', JSON.stringify(dirname(path))), loader: 'ts' }
          })
        },
      },
    ],
  })
}

async function writeCheckout(folder: string, programs: Programs): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'troupe', private: true }))
  await writeFile(join(folder, 'src/main.ts'), `import ${JSON.stringify(programs.server)}\n`)
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(process.execPath, join(folder, 'node_modules/.bin/bun'))
}

/** Builds older than a day are not in use. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name)
    // another test process may have renamed it just now
    const madeAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (madeAt < Date.now() - 86_400_000) await rm(folder, { recursive: true, force: true })
  }
}

let made: Promise<string> | undefined

const compiled = (path: string): string => path.replace(/\.ts$/, '.js')

const programsIn = (folder: string): Programs => ({
  server: join(folder, 'server/program.js'),
  runner: join(folder, 'runs/runner/main.js'),
  commandLine: join(folder, compiled(commandLine)),
  checkout: join(folder, 'checkout'),
})

/** The files to run. */
export async function bundledPrograms(): Promise<Programs> {
  made ??= make()
  return programsIn(await made)
}
