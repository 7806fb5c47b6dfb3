/** `bun src/server/compile.ts` compiles the server into one file with its bytecode (`compiled.ts`). */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compiledFolder, fingerprint, fingerprintName } from './compiled.ts'

/**
 * Bundles a program into `outdir`, at its place below `root`. Paths that it builds from the place of a source stay those of
 * this checkout.
 */
export const compile = (program: string, outdir: string, root = dirname(program)) =>
  Bun.build({
    entrypoints: [program],
    root,
    outdir,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
  })

/** Writes the compiled server of the present sources, in a few seconds. */
export async function compileServer(): Promise<void> {
  // taken before the build, so that a source that changes meanwhile counts as changed
  const sources = fingerprint()
  const made = `${compiledFolder}.${process.pid}`
  try {
    await compile(join(import.meta.dir, 'program.ts'), made)
    await writeFile(join(made, fingerprintName), sources)
    await rm(compiledFolder, { recursive: true, force: true })
    await mkdir(dirname(compiledFolder), { recursive: true })
    await rename(made, compiledFolder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  try {
    await compileServer()
  } catch (error) {
    // it then starts from its sources
    console.error(`The server was not compiled, so it takes longer to start: ${error}`)
  }
}
