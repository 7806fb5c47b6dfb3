/** What holds for every run, whatever failed meanwhile. */
import type { Server } from '../server.ts'
import { runsPath } from '../troupe.ts'
import { answerMsMax } from './caller.ts'
import { askedPatiently, type Frames, isDelta, isEnd, readStream } from './requests.ts'

interface Step {
  kind: string
  name: string
  status: string
  execution: { toolCallId?: string }
}
interface Move {
  sequence: number
  event: string
  from: string | null
  to: string
}
export interface Ended {
  state: string
  stateReason: object | null
  turn: number
  moves: Move[]
  steps: Step[]
  frames: Frames
}

/** All items of a list with pages. */
export async function allOf<Item>(server: Server, path: string, name = 'items'): Promise<Item[]> {
  interface Page {
    data?: Record<string, Item[]>
    pagination: { nextCursor?: string }
  }
  const items: Item[] = []
  for (let cursor = ''; ; ) {
    const joined = path.includes('?') ? '&' : '?'
    const page = await askedPatiently<Page>(server, `${path}${joined}limit=100${cursor}`)
    items.push(...((page.data ?? (page as unknown as Record<string, Item[]>))[name] as Item[]))
    const { nextCursor } = page.pagination
    if (!nextCursor) return items
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}

/** Everything of an ended run. */
export async function endedRun(server: Server, id: string): Promise<Ended> {
  const path = `${runsPath}/${id}`
  const { data } = await askedPatiently<{ data: Pick<Ended, 'state' | 'stateReason' | 'turn'> }>(server, path)
  const moves = await allOf<Move>(server, `${path}/transitions`)
  const steps = await allOf<Step>(server, `${path}/steps`)
  const frames: Frames = new Map()
  // a continued run has several ends
  let isComplete = false
  while (!isComplete) {
    const after = [...frames.keys()].at(-1) ?? 0
    const signal = AbortSignal.timeout(answerMsMax)
    await readStream(server, id, after, (number, frame) => frames.set(number, frame), signal)
    isComplete = ([...frames.keys()].at(-1) ?? 0) === after
  }
  return { ...data, moves, steps, frames }
}

/** The first error of an ended run. */
export function problemOf({ moves, steps, frames }: Ended, seen: Frames = new Map()): string | undefined {
  if (moves.some(({ sequence }, at) => sequence !== at + 1)) return 'its journal has a gap'
  if (moves.some(({ from }, at) => from !== (at === 0 ? null : moves[at - 1]?.to))) return 'its journal does not join'
  const calls = steps
    .filter(({ kind, status }) => kind === 'tool' && status === 'completed')
    .map(({ execution }) => execution.toolCallId)
  if (new Set(calls).size !== calls.length) return 'a tool call completed twice'
  const stored = [...frames]
  if (!isEnd(stored.at(-1)?.[1] ?? '')) return 'its stream has no end'
  if (stored.some(([number], at) => number !== at + 1)) return 'its stream has a gap'
  // a reader may get several deltas as one, with the last number
  for (const [at, frame] of seen)
    if (!isDelta(frame) && frames.get(at) !== frame) return `frame ${at} of its stream has changed`
  const last = Math.max(0, ...seen.keys())
  const missed = stored.find(([at, frame]) => at <= last && !isDelta(frame) && !seen.has(at))
  if (seen.size > 0 && missed) return `a reader missed frame ${missed[0]} of its stream`
  return undefined
}
