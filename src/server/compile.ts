/**
 * `bun src/server/compile.ts` compiles the server into one file with its bytecode (`compiled.ts`), the processes that
 * check JSON Schemas into another, and the packages that the server loads late into files of their own. With
 * `--if-changed` it does nothing if it has compiled the present sources.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { BunPlugin } from 'bun'
import { compiledFolder, compiledProgram, fingerprint, fingerprintName } from './compiled.ts'

/**
 * Packages that a server loads when it first uses them, if ever, and `zod`, which they share. A program is read as a
 * whole before its first line runs, and these packages are half of the text of a server.
 */
const late = new RegExp(
  `^(?:${[
    '@ai-sdk/(?!provider)[^/]+',
    'ai/internal',
    '@modelcontextprotocol/(?:client|server)',
    'zod/v4',
    'stripe',
    'nodemailer',
    'ioredis',
    're2js',
    'file-type',
    '@scalar/themes',
  ].join('|')})$`,
)

const lateFolder = 'packages'

/** Leaves late packages out of a file. Each of their modules is `added`, and imported from the path that comes back. */
const withoutLatePackages = (added: (module: string) => string): BunPlugin => ({
  name: 'late packages',
  setup(build) {
    build.onResolve({ filter: late }, ({ path, importer }) => ({
      path: added(Bun.resolveSync(path, dirname(importer))),
      external: true,
    }))
  },
})

const commonJs = { target: 'bun', format: 'cjs' } as const

/** `openai+dist+index`: the name of a module by its path. Several versions of a package have different paths. */
const nameOf = (module: string) => {
  const [, ...folders] = module.split('/node_modules/')
  return join(...folders)
    .replace(/\.\w+$/, '')
    .replaceAll('/', '+')
}

const schemaWorker = join(import.meta.dir, '../platform/json-schemas/worker-main.ts')
const schemaWorkerName = 'schema-worker.js'

/** The processes that check JSON Schemas, as one file: they use all of their packages at once. */
export async function compileSchemaWorker(outdir: string): Promise<void> {
  await Bun.build({ ...commonJs, bytecode: true, entrypoints: [schemaWorker], outdir, naming: schemaWorkerName })
}

interface Places {
  /** The program keeps its place below this folder; by default its own. */
  root?: string
  /** Where `outdir` will be when the program runs. The compiled schema worker is there. */
  finally: string
}

/**
 * Bundles a program into `outdir`, with its late packages beside it. Paths that it builds from the place of a source
 * stay those of this checkout.
 */
export async function compile(
  program: string,
  outdir: string,
  { root = dirname(program), finally: place }: Places,
): Promise<void> {
  const modules = new Set<string>()
  const from = (folder: string) =>
    withoutLatePackages((module) => {
      modules.add(module)
      return `./${folder}${nameOf(module)}.js`
    })
  await Bun.build({
    ...commonJs,
    bytecode: true,
    entrypoints: [program],
    root,
    outdir,
    plugins: [from(`${lateFolder}/`)],
    define: { compiledSchemaWorker: JSON.stringify(join(place, schemaWorkerName)) },
  })
  const beside = join(outdir, relative(root, dirname(program)), lateFolder)
  // Grows while packages are bundled that import others. Bytecode would triple the time for them, to save ten to thirty
  // milliseconds of each one's first use.
  for (const module of modules)
    await Bun.build({
      ...commonJs,
      entrypoints: [module],
      outdir: beside,
      naming: `${nameOf(module)}.[ext]`,
      plugins: [from('')],
    })
}

/** Writes the compiled server of the present sources, in a few seconds. */
export async function compileServer(): Promise<void> {
  // taken before the build, so that a source that changes meanwhile counts as changed
  const sources = fingerprint()
  const made = `${compiledFolder}.${process.pid}`
  try {
    await compile(join(import.meta.dir, 'program.ts'), made, { finally: compiledFolder })
    await compileSchemaWorker(made)
    await writeFile(join(made, fingerprintName), sources)
    await rm(compiledFolder, { recursive: true, force: true })
    await mkdir(dirname(compiledFolder), { recursive: true })
    await rename(made, compiledFolder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

const isUpToDate = () => process.argv.includes('--if-changed') && compiledProgram() !== undefined

if (import.meta.main && !isUpToDate()) {
  try {
    await compileServer()
  } catch (error) {
    // it then starts from its sources
    console.error(`The server was not compiled, so it takes longer to start: ${error}`)
  }
}
