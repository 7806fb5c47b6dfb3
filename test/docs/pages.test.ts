/** The documentation: every link works, every named file exists, and so does every rule that comments cite. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, normalize, relative, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md'],
  ...[...new Bun.Glob('docs/**/*.md').scanSync(root)].sort(),
]
const texts = new Map(
  await Promise.all(pages.map(async (page) => [page, await Bun.file(join(root, page)).text()] as const)),
)
const proseOf = (page: string) => texts.get(page)!.replace(/^```[\s\S]*?^```$/gm, '')

/** The anchor of a heading, as GitHub makes it. */
const slugOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): Set<string> => {
  const times = new Map<string, number>()
  const ofHeadings = [...proseOf(page).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading]) => {
    const slug = slugOf(heading!.trim())
    const before = times.get(slug) ?? 0
    times.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  })
  return new Set([...ofHeadings, ...[...proseOf(page).matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!)])
}
const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]))

test.each(pages)('every link of %s works', (page) => {
  const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? page : relative(root, normalize(join(root, dirname(page), path)))
      return !existsSync(join(root, file)) || (anchor !== undefined && anchors.get(file)?.has(anchor) === false)
    })
  expect(broken).toEqual([])
})

test.each(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/decisions.md'])(
  'every file that %s names exists',
  (page) => {
    const named = [...texts.get(page)!.matchAll(/`((?:src|storage|machines|test|bench|checks|docs)\/[\w./-]*)`/g)]
    expect(named.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)

/** A section of the requirement or the contract with its subsections, by its anchor (`contract-5`); lowercase text. */
const sections = new Map<string, string>()
for (const name of ['requirement', 'contract', 'design']) {
  let section = ''
  for (const line of texts.get(`docs/requirement/${name}.md`)!.split('\n')) {
    section = /<a id="((?:requirement|contract|design|trust)-\d+(?:-\d+)*)"/.exec(line)?.[1] ?? section
    sections.set(section, `${sections.get(section) ?? ''} ${plain(line)}`)
  }
}
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[`*"_]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

test('every rule cited by a comment is in the requirement or the contract, and so are quoted words', async () => {
  const citation = /\b(requirement|contract|design|trust) (\d+(?:\.\d+)*)\b((?:, (?:"[^"]+"|`[^`]+`))*)/g
  const missing: string[] = []
  for (const folder of ['src', 'machines', 'storage', 'test']) {
    for (const file of new Bun.Glob('**/*.{ts,tsx}').scanSync(join(root, folder))) {
      const text = (await Bun.file(join(root, folder, file)).text()).replace(/\n\s*\* ?/g, ' ')
      for (const [cited, kind, number, quotes] of text.matchAll(citation)) {
        const anchor = `${kind}-${number!.replaceAll('.', '-')}`
        const found = [...sections].filter(([id]) => id === anchor || id.startsWith(`${anchor}-`))
        const said = found.map(([, section]) => section).join(' ')
        const quoted = [...quotes!.matchAll(/"[^"]+"|`[^`]+`/g)].map(([quote]) => plain(quote))
        if (found.length === 0 || !quoted.every((quote) => said.includes(quote)))
          missing.push(`${cited} (${folder}/${file})`)
      }
    }
  }
  expect(missing).toEqual([])
})
