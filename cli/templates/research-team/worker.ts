/**
 * The library of the research team: text files in library/, searched by words. `troupe dev` serves it, and so does:
 * troupe worker worker.ts --on research-team/development
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const queue = 'research-team'

const folder = 'library'
const foundMax = 5
const excerptMax = 600
const example = `# Why bridges have joints

Steel grows by about 0.012 mm per metre and kelvin. A bridge of 100 m is some 5 cm longer in August than in January;
its expansion joints take that up.
`

async function open(): Promise<string[]> {
  if (!existsSync(folder)) {
    await mkdir(folder)
    await writeFile(join(folder, 'bridges.md'), example)
  }
  return (await readdir(folder)).filter((name) => /\.(md|txt)$/.test(name)).sort()
}

export const operations = {
  'library.search': async ({ words }: { words: string }) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const found: { file: string; matches: number; excerpt: string }[] = []
    for (const file of await open()) {
      const text = await readFile(join(folder, file), 'utf8')
      const matches = wanted.filter((word) => text.toLowerCase().includes(word))
      const at = text.toLowerCase().indexOf(matches[0] ?? '')
      const excerpt = text.slice(Math.max(0, at - excerptMax / 2), at + excerptMax / 2)
      if (matches.length > 0) found.push({ file, matches: matches.length, excerpt })
    }
    return { found: found.sort((one, other) => other.matches - one.matches).slice(0, foundMax) }
  },
}
