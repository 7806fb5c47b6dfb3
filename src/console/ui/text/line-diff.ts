/** Line diff of two texts. Pure. */
import { diffArrays } from 'diff'

interface DiffLine {
  is: 'same' | 'added' | 'removed'
  text: string
}

/** Texts that differ by more lines are shown as replaced, to keep the page responsive. */
const changesMax = 2_000

/** How many of the lines are not among the others. */
function countMissing(lines: readonly string[], others: readonly string[]): number {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line)).length
}

/** The shortest edit script. */
export function diffLines(before: readonly string[], after: readonly string[], max = changesMax): DiffLine[] {
  const as = (is: DiffLine['is'], lines: readonly string[]) => lines.map((text): DiffLine => ({ is, text }))
  // lines that only one text has are changes: if these are too many already, seconds of comparing would be wasted
  const isHopeless = countMissing(before, after) + countMissing(after, before) > max
  const changes = isHopeless ? undefined : diffArrays([...before], [...after], { maxEditLength: max })
  if (!changes) return [...as('removed', before), ...as('added', after)]
  return changes.flatMap(({ added, removed, value }) => as(added ? 'added' : removed ? 'removed' : 'same', value))
}

/** JSON as lines for a diff: strings are split at line breaks, keys are sorted. */
export function linesOf(value: unknown, indent = ''): string[] {
  const inner = `${indent}  `
  if (typeof value === 'string' && value.includes('\n'))
    return ['"""', ...value.split('\n').map((line) => inner + line), `${indent}"""`]
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value) ?? 'undefined']
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((each) => linesOf(each, inner))
    : Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, each]) => {
          const [first, ...rest] = linesOf(each, inner)
          return [`${JSON.stringify(name)}: ${first}`, ...rest]
        })
  if (entries.length === 0) return [isList ? '[]' : '{}']
  const body = entries.flatMap(([first, ...rest]) => [inner + first, ...rest])
  return [isList ? '[' : '{', ...body, indent + (isList ? ']' : '}')]
}

/** Lines near a change; a gap holds the number of omitted lines. */
export function nearChanges(lines: readonly DiffLine[], around = 3): (DiffLine | { is: 'gap'; count: number })[] {
  const near = new Uint8Array(lines.length)
  lines.forEach(({ is }, place) => {
    if (is === 'same') return
    near.fill(1, Math.max(0, place - around), Math.min(lines.length, place + around + 1))
  })
  // a single omitted line takes no more room than a gap
  near.forEach((is, place) => {
    if (!is && (near[place - 1] ?? 1) && (near[place + 1] ?? 1)) near[place] = 1
  })
  const shown: (DiffLine | { is: 'gap'; count: number })[] = []
  for (const [place, line] of lines.entries()) {
    const last = shown.at(-1)
    if (near[place]) shown.push(line)
    else if (last?.is === 'gap') last.count++
    else shown.push({ is: 'gap', count: 1 })
  }
  return shown
}
