/** Pages whose commands are run unchanged by a test. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundledPrograms } from '../support/programs.ts'

export const root = resolve(import.meta.dir, '../..')

/** Each block of commands of a page, in order; `language` is the info string of the fence. */
export const blocksOf = (page: string, language = 'sh'): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text]) => text as string,
  )

/** A folder for the search path with these shell scripts, and with the command line of this checkout. */
export async function programsIn(folder: string, programs: Record<string, string> = {}): Promise<string> {
  const path = join(folder, 'bin')
  mkdirSync(path)
  const { commandLine } = await bundledPrograms()
  const troupe = `exec "${process.execPath}" "${commandLine}" "$@"`
  for (const [name, text] of Object.entries({ troupe, ...programs })) {
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(path, name), 0o755)
  }
  return path
}
