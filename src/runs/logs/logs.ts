/** The log of a run, in pages and as a stream. Source: contract 13, "Logs". */
import { contentRemovedAt } from '../../../storage/runs/content-retention.ts'
import { lastStreamSequence } from '../../../storage/runs/runs.ts'
import type { Store } from '../../../storage/store.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { page } from '../../platform/http/pagination.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { RunAccess } from '../access.ts'
import { frameBody } from '../stream/frames.ts'
import { replay } from '../stream/replay.ts'
import { type LogLine, lineOf, loggedTypes } from './lines.ts'

interface LogsRequest {
  limit: number
  /** Takes precedence over `after`. */
  cursor?: string
  /** The last sequence number that the client has. */
  after?: number
  /** Only this many lines before the end; neither with a cursor nor with `after`. */
  last?: number
}

/** The events of a run that are looked at for its last lines, at first and at most at a time. */
const spanMin = 250
const spanMax = 10_000

const logged: ReadonlySet<string> = new Set(loggedTypes)

export class RunLogs {
  constructor(private readonly parts: { store: Store; access: RunAccess; cursors: Cursors }) {}

  /** A page, oldest first. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, runId: string, { limit, cursor, after: seen = 0, last }: LogsRequest) {
    const { access, cursors } = this.parts
    await access.find(caller, runId, 'agent-runs:stream')
    const scope = { list: 'run-logs', organizationId: caller.organizationId, filters: { runId } }
    const start = last === undefined ? seen : await this.#beforeLast(runId, last)
    const after = cursor === undefined ? start : Number(cursors.open(scope, cursor)[0])
    const lines = await this.#linesAfter(runId, after, limit + 1)
    const { items, pagination } = page(lines, limit, ({ sequence }) => cursors.seal(scope, [sequence]))
    return { data: { items }, pagination }
  }

  /** Whether the lines were removed with the content of the run. Throws `notFound`. */
  async areRemoved(caller: Caller, runId: string): Promise<boolean> {
    const { access, store } = this.parts
    await access.find(caller, runId, 'agent-runs:stream')
    const run = await store.first(contentRemovedAt(store, { id: runId }))
    return run !== undefined && run.content_removed_at !== null
  }

  /** The number before the last lines; their count is known only from the events, read from the end on. */
  async #beforeLast(runId: string, last: number): Promise<number> {
    const tail = await lastStreamSequence(this.parts.store, runId)
    if (last === 0) return tail
    let missing = last
    for (let to = tail, span = spanMin; to > 0; span = Math.min(2 * span, spanMax)) {
      const from = Math.max(0, to - span)
      const lines = await this.#linesAfter(runId, from, Number.POSITIVE_INFINITY, to)
      const first = lines.at(-missing)
      if (first) return first.sequence - 1
      missing -= lines.length
      to = from
    }
    return 0
  }

  /** Frames of streamed text in between are skipped, a bounded page at a time. */
  async #linesAfter(runId: string, after: number, wanted: number, upTo = Number.POSITIVE_INFINITY): Promise<LogLine[]> {
    const lines: LogLine[] = []
    for (let position = after; ; await nextTurn()) {
      const frames = await replay(this.parts.store, runId, position)
      const last = frames.at(-1)
      if (!last) return lines
      position = last.sequence
      for (const frame of frames) {
        if (frame.sequence > upTo) return lines
        const line = logged.has(frame.type) ? lineOf(frame.type, frameBody(frame)) : undefined
        if (line) lines.push(line)
        if (lines.length === wanted) return lines
      }
      if (position >= upTo) return lines
    }
  }
}

const decoder = () => new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>
const field = (block: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]

/**
 * The stream of a run as log lines: events `line`, and `end` unchanged. Ends where events were left out for a slow
 * reader, which gets their lines when it resumes.
 */
export function linesOfStream(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let rest = ''
  const lines = new TransformStream<string, string>({
    transform(text, controller) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      const gap = blocks.findIndex((block) => field(block, 'event') === 'run.snapshot')
      const sent = (gap === -1 ? blocks : blocks.slice(0, gap)).map(rendered).join('')
      if (sent !== '') controller.enqueue(sent)
      if (gap !== -1) controller.terminate()
    },
  })
  return stream.pipeThrough(decoder()).pipeThrough(lines).pipeThrough(new TextEncoderStream())
}

function rendered(block: string): string {
  const type = field(block, 'event')
  const data = field(block, 'data')
  // keep-alives, and the end
  if (type === undefined || data === undefined || type === 'end') return `${block}\n\n`
  const line = lineOf(type, JSON.parse(data))
  return line ? `id: ${line.sequence}\nevent: line\ndata: ${JSON.stringify(line)}\n\n` : ''
}
