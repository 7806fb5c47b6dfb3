/**
 * The text of a bundle: JSON with a line for each item of its lists, so that a large one is written and read in pieces,
 * with pauses for other work.
 */
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { Bundle } from './bundle.ts'

/** Characters of items that are processed in a few milliseconds. */
const stretch = 256 * 1024

const lists = ['agents', 'definitions', 'variables', 'connections'] as const

export async function writeBundle({ agents, definitions, variables, connections, ...head }: Bundle): Promise<string> {
  const pause = pauses()
  let text = JSON.stringify(head).slice(0, -1)
  for (const [name, items] of Object.entries({ agents, definitions, variables, connections })) {
    text += `,"${name}":[`
    for (const [at, item] of items.entries()) {
      const line = JSON.stringify(item)
      text += `\n${at === 0 ? '' : ','}${line}`
      await pause(line)
    }
    text += '\n]'
  }
  return `${text}}`
}

export async function readBundle(text: string): Promise<Bundle> {
  const [first = '', ...lines] = text.split('\n')
  // earlier versions wrote a single line
  if (lines.length === 0) return JSON.parse(text) as Bundle
  const pause = pauses()
  const items: unknown[] = []
  let frame = first
  for (const line of lines) {
    if (line.startsWith(']')) {
      frame += line
      continue
    }
    const isFurther = line.startsWith(',')
    frame += `${isFurther ? ',' : ''}${items.length}`
    items.push(JSON.parse(isFurther ? line.slice(1) : line))
    await pause(line)
  }
  const bundle = JSON.parse(frame) as Bundle & Record<string, unknown>
  for (const name of lists) bundle[name] = (bundle[name] as unknown as number[]).map((at) => items[at]) as never
  return bundle
}

/** Pauses after each stretch of lines. */
function pauses() {
  let since = 0
  return async ({ length }: string) => {
    since += length
    if (since < stretch) return
    since = 0
    await nextTurn()
  }
}
