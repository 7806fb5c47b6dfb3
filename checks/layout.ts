/**
 * Refuses imports that go up, circles, imports of what is a wing's own, exports that no file imports, and files and folders
 * that have grown too large.
 * The rules are in `rules.ts`.
 *
 *     bun checks/layout.ts             # exit code 1, with a line for each refusal
 *     bun checks/layout.ts <folder>    # of another tree, to which no exception applies
 */
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { unusedExports } from './exports.ts'
import { entriesOfSrcMax, filesMax, generated, layers, linesMax, notYet, ownFiles, sequences, wings } from './rules.ts'

const [otherTree] = process.argv.slice(2)
if (otherTree) process.chdir(otherTree)
const exceptions = otherTree ? [] : notYet

const roots = ['sdk/src', 'machines', 'storage', 'src', 'cli'].filter((root) => existsSync(root))
/** Of their files only the length and the exports are checked. */
const others = ['test', 'bench', 'checks', 'docs', 'examples', 'licences', 'sdk/generate']
/** What imports files of these folders from elsewhere. */
const scripts = ['sdk/generate.ts'].filter((file) => existsSync(file))
const layerOf = (file: string): string => layers.find((layer) => file === layer || file.startsWith(`${layer}/`)) ?? ''

const within = (layer: string) => `^${RegExp.escape(layer)}(/|$)`
const upward = layers.slice(0, -1).map((layer, index) => ({
  name: 'upward',
  severity: 'error' as const,
  from: { path: within(layer) },
  to: { path: layers.slice(index + 1).map(within) },
}))
const ofWings = `^(${wings.map(RegExp.escape).join('|')})/`
const inside = {
  name: 'inside',
  severity: 'error' as const,
  from: { path: ofWings },
  to: { path: `${ofWings}.*${ownFiles}`, pathNot: '^$1/' },
}
const circle = { name: 'circle', severity: 'error' as const, from: {}, to: { circular: true } }

/** Upward imports and circles, found by dependency-cruiser: including types, excluding files outside of the roots. */
async function importRefusals(): Promise<string[]> {
  const { output } = await cruise(roots, {
    validate: true,
    ruleSet: { forbidden: [...upward, inside, circle] },
    tsPreCompilationDeps: true,
    includeOnly: { path: `^(${roots.join('|')})/` },
  })
  const circles = new Set<string>()
  const refusals = (output as ICruiseResult).summary.violations.flatMap(({ rule, from, to, cycle }) => {
    if (rule.name === 'upward') {
      return [
        `${from} imports ${to}, which lies above it: what it needs belongs in ${layerOf(from)} or below, or ${layerOf(to)} passes it in.`,
      ]
    }
    if (rule.name === 'inside') {
      return [`${from} imports ${to}, which is its wing's own: what both need belongs in a service of ${layerOf(to)}.`]
    }
    const files = (cycle ?? []).map(({ name }) => name)
    // found once from each of its files
    const start = files.indexOf(files.toSorted()[0] ?? from)
    circles.add([...files.slice(start), ...files.slice(0, start)].join(' > '))
    return []
  })
  return [
    ...refusals,
    ...[...circles].map((files) => `${files}: a circle. What they share belongs in a file of its own, below them.`),
  ]
}

const filesBelow = (folders: readonly string[]): Dirent[] =>
  folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !generated.includes(entry.parentPath))

/** Files that are too long, those of tests too. */
function lengthRefusals(): string[] {
  return filesBelow([...roots, ...others]).flatMap(({ parentPath, name }) => {
    const lines = /\.(tsx?|css)$/.test(name) ? readFileSync(`${parentPath}/${name}`, 'utf8').split('\n').length - 1 : 0
    return lines > linesMax
      ? [
          `${parentPath}/${name} has ${lines} lines, ${linesMax} at most: its second subject belongs in a file beside it.`,
        ]
      : []
  })
}

/** Exports that no other file imports, those of tests too. Files that a program writes are read for their imports. */
function exportRefusals(): string[] {
  const files = [...roots, ...others]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
    .filter((file) => /\.tsx?$/.test(file))
  return unusedExports([...files, ...scripts]).map(
    ({ file, name }) => `${file} exports ${name}, which no other file imports: it is the file's own, or dead.`,
  )
}

/** Folders that are too large, those of tests too, and whatever of `src` is in no layer. */
function folderRefusals(): string[] {
  const files = filesBelow([...roots, 'test'])
  const wide = Object.entries(Object.groupBy(files, ({ parentPath }) => parentPath)).flatMap(([folder, all = []]) =>
    all.length > filesMax && !sequences.includes(folder)
      ? [
          `${folder} has ${all.length} files, ${filesMax} at most: those of one subject belong in a folder of their own.`,
        ]
      : [],
  )
  return [...wide, ...refusalsOfSrc()]
}

function refusalsOfSrc(): string[] {
  const entries = readdirSync('src')
  const many =
    entries.length > entriesOfSrcMax
      ? [`src has ${entries.length} entries, ${entriesOfSrcMax} at most: a new area belongs in a wing.`]
      : []
  const unknown = entries
    .filter((name) => layerOf(`src/${name}`) === '')
    .map((name) => `src/${name} is in no layer: it belongs in a wing, in src/platform or in src/runtime.`)
  return [...many, ...unknown]
}

const found = [...(await importRefusals()), ...lengthRefusals(), ...exportRefusals(), ...folderRefusals()].sort()
const refusals = [
  ...found.filter((line) => !exceptions.some((start) => line.startsWith(start))),
  ...exceptions
    .filter((start) => !found.some((line) => line.startsWith(start)))
    .map((start) => `checks/rules.ts: "${start}" is in notYet and refuses nothing any more: it belongs out of there.`),
]
for (const refusal of refusals) console.error(refusal)
if (refusals.length > 0) process.exit(1)
console.log('Imports go down, in no circle, every export is used, and no file or folder is too large.')
