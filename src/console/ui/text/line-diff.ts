/** What differs between two texts, line by line. Pure. */

export interface DiffLine {
  is: 'same' | 'added' | 'removed'
  text: string
}

/** More than that is not compared but shown as replaced: a page that hangs shows nothing at all. */
const cellsMax = 4_000_000

/** The shortest way from one text to the other. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ is: 'same', text }))
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ is: 'removed', text })
  const added = (text: string): DiffLine => ({ is: 'added', text })
  if (before.length * after.length > cellsMax) return [...before.map(removed), ...after.map(added)]

  // lengths of the longest common rest, from every place to the ends
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? common[(row + 1) * width + column + 1]! + 1
          : Math.max(common[(row + 1) * width + column]!, common[row * width + column + 1]!)

  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      lines.push({ is: 'same', text: before[row]! })
      row++
      column++
    } else if (common[(row + 1) * width + column]! >= common[row * width + column + 1]!)
      lines.push(removed(before[row++]!))
    else lines.push(added(after[column++]!))
  }
  return [...lines, ...before.slice(row).map(removed), ...after.slice(column).map(added)]
}

/** JSON as lines to compare: long texts are broken where they break themselves, names are in order. */
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

/** Only what is near a change; a gap stands for the number of lines that are left out. */
export function nearChanges(lines: readonly DiffLine[], around = 3): (DiffLine | { is: 'gap'; count: number })[] {
  const near = new Uint8Array(lines.length)
  lines.forEach(({ is }, place) => {
    if (is === 'same') return
    near.fill(1, Math.max(0, place - around), Math.min(lines.length, place + around + 1))
  })
  // a line by itself says more than that there is one
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
