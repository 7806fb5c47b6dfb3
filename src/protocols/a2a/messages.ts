/** Messages of A2A: a new message, or the answer to a waiting task. */
import { invalid } from '../../platform/http/answers/errors.ts'
import type { ContentItem } from '../../runs/runner/protocol/protocol.ts'
import { attachmentFrom, attachmentOf } from '../content.ts'
import type { Answers } from '../turns/answers.ts'
import type { PendingCall } from '../turns/events.ts'
import type { Message } from '../turns/turns.ts'
import { A2aError } from './errors.ts'

export interface A2aMessage {
  messageId?: string
  contextId?: string
  taskId?: unknown
  role?: string
  parts: Record<string, unknown>[]
}

const at = (index: number, field?: string) =>
  `/body/params/message/parts/${index}${field === undefined ? '' : `/${field}`}`

/** Texts, JSON as text, and attachments. */
export function messageOf({ parts }: A2aMessage): Message {
  const texts: string[] = []
  const contents: ContentItem[] = []
  for (const [index, part] of parts.entries()) {
    const { text, raw, url, data, mediaType, filename } = part
    const name = typeof filename === 'string' && filename !== '' ? filename.slice(0, 255) : 'file'
    if (typeof text === 'string') texts.push(text)
    else if (typeof raw === 'string') {
      const paths = { data: at(index, 'raw'), mediaType: at(index, 'mediaType') }
      contents.push(attachmentFrom(raw, mediaType, paths, name))
    } else if (url !== undefined) contents.push(attachmentOf(url, at(index, 'url'), name))
    else if (data !== undefined) texts.push(JSON.stringify(data))
    else throw invalid([{ path: at(index), message: 'Has neither a text, nor data, nor a file.' }])
  }
  return { query: texts.join('\n\n'), ...(contents.length > 0 && { contents }) }
}

/**
 * The answer to a waiting task. For one call: the data or the text is its result, or `{approved, reason?}` the
 * decision. For several: `{answers: {toolCallId: …}}`.
 */
export function answersIn({ parts }: A2aMessage, pending: readonly PendingCall[]): Answers {
  const [only] = pending
  if (!only) throw new A2aError('unsupportedOperation', 'The task does not wait for an answer.')
  const given = givenIn(parts)
  const named = Object(Object(given).answers) as Record<string, unknown>
  const answers: Answers = { results: [], decisions: [], open: [] }
  for (const call of pending) {
    const { kind, toolCallId, approvalId } = call
    const answer = Object.hasOwn(named, toolCallId) ? named[toolCallId] : pending.length === 1 ? given : undefined
    if (answer === undefined) answers.open.push(call)
    else if (approvalId !== undefined) answers.decisions.push({ toolCallId, approvalId, ...decisionIn(answer) })
    else if (kind === 'tool') answers.results.push({ toolCallId, result: answer })
    else throw new A2aError('unsupportedOperation', `The task waits for ${call.toolName}, which is not answered here.`)
  }
  return answers
}

/** The data, or else the text. Throws 422 for a part that would be lost. */
function givenIn(parts: A2aMessage['parts']): unknown {
  const texts: string[] = []
  const datas: unknown[] = []
  for (const [index, { text, data }] of parts.entries()) {
    if (typeof text === 'string') texts.push(text)
    else if (data !== undefined && datas.length === 0) datas.push(data)
    else {
      const message =
        data === undefined ? 'An answer is data or text: files are not taken.' : 'An answer has one part of data.'
      throw invalid([{ path: at(index), message }])
    }
  }
  return datas.length > 0 ? datas[0] : texts.join('\n\n')
}

function decisionIn(answer: unknown): { approved: boolean; note?: string } {
  const { approved, reason } = Object(answer) as { approved?: unknown; reason?: unknown }
  if (typeof approved !== 'boolean') {
    const message = 'The task waits for an approval: answer with data, {"approved": true} or {"approved": false}.'
    throw invalid([{ path: '/body/params/message/parts', message }])
  }
  return { approved, ...(typeof reason === 'string' && { note: reason }) }
}
