/** The log of a run, in pages and as a stream. Source: contract 13, "Logs". */
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
}

const logged: ReadonlySet<string> = new Set(loggedTypes)

export class RunLogs {
  constructor(private readonly parts: { store: Store; access: RunAccess; cursors: Cursors }) {}

  /** A page, oldest first. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, runId: string, { limit, cursor, after: seen = 0 }: LogsRequest) {
    const { access, cursors } = this.parts
    await access.find(caller, runId, 'agent-runs:stream')
    const scope = { list: 'run-logs', organizationId: caller.organizationId, filters: { runId } }
    const after = cursor === undefined ? seen : Number(cursors.open(scope, cursor)[0])
    const lines = await this.#linesAfter(runId, after, limit + 1)
    const { items, pagination } = page(lines, limit, ({ sequence }) => cursors.seal(scope, [sequence]))
    return { data: { items }, pagination }
  }

  /** Frames of streamed text in between are skipped, a bounded page at a time. */
  async #linesAfter(runId: string, after: number, wanted: number): Promise<LogLine[]> {
    const lines: LogLine[] = []
    for (let position = after; ; await nextTurn()) {
      const frames = await replay(this.parts.store, runId, position)
      const last = frames.at(-1)
      if (!last) return lines
      position = last.sequence
      for (const frame of frames) {
        const line = logged.has(frame.type) ? lineOf(frame.type, frameBody(frame)) : undefined
        if (line) lines.push(line)
        if (lines.length === wanted) return lines
      }
    }
  }
}

const decoder = () => new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>
const field = (block: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]

/** The stream of a run as log lines: events `line`, and `end` unchanged. */
export function linesOfStream(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let rest = ''
  const lines = new TransformStream<string, string>({
    transform(text, controller) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      const sent = blocks.map(rendered).join('')
      if (sent !== '') controller.enqueue(sent)
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
