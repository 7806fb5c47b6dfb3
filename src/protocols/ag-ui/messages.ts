/** Parses the request of an AG-UI client: its last message, outputs of its tools, or decisions on interrupts. */
import { invalid } from '../../platform/http/answers/errors.ts'
import type { ContentItem } from '../../runs/runner/protocol/protocol.ts'
import {
  attachmentFrom,
  attachmentOf,
  begunAgain,
  conversationOf,
  type Earlier,
  type MessageContent,
  resultOf,
} from '../content.ts'
import type { Answers } from '../turns/answers.ts'
import type { PendingCall } from '../turns/events.ts'
import type { Message } from '../turns/turns.ts'

export type AgUiMessage = Record<string, unknown> & { role: string }
interface ResumeEntry {
  interruptId: string
  status: string
  payload?: unknown
}

/** A text, or a list of parts. */
function contentIn(content: unknown, path: string): MessageContent {
  if (typeof content === 'string') return { text: content, attachments: [] }
  if (content === undefined || content === null) return { text: '', attachments: [] }
  if (!Array.isArray(content)) throw invalid([{ path, message: 'Must be a text or a list of parts.' }])
  const texts: string[] = []
  const attachments: ContentItem[] = []
  for (const [index, given] of content.entries()) {
    const part = Object(given) as Record<string, unknown>
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    else attachments.push(attachmentIn(part, `${path}/${index}`))
  }
  return { text: texts.join('\n\n'), attachments }
}

/** Its texts, without attachments. */
const textIn = (content: unknown): string =>
  contentIn(Array.isArray(content) ? content.filter(isText) : typeof content === 'string' ? content : '', '').text

const isText = (part: unknown) => Object(part).type === 'text' && typeof Object(part).text === 'string'

function attachmentIn({ source, mimeType, data, filename }: Record<string, unknown>, path: string): ContentItem {
  const given = Object(source) as { type?: unknown; value?: unknown; mimeType?: unknown }
  const value = given.type === 'data' ? given.value : data
  const name = typeof filename === 'string' ? filename.slice(0, 255) : 'file'
  if (typeof value !== 'string' || value.startsWith('data:')) return attachmentOf(value ?? given.value, path, name)
  const paths = { data: path, mediaType: source === undefined ? `${path}/mimeType` : `${path}/source/mimeType` }
  return attachmentFrom(value, given.mimeType ?? mimeType, paths, name)
}

/** Whether the client answers waiting calls, instead of sending a message. */
export const isAnswer = (messages: readonly AgUiMessage[], resume: readonly ResumeEntry[]): boolean =>
  resume.length > 0 || messages.at(-1)?.role === 'tool'

/** The message of the user at the end; `isNew`: with those before it as history, which are not read otherwise. */
export function lastMessage(messages: readonly AgUiMessage[], isNew: boolean): Message {
  const conversation: Earlier[] = []
  const end = messages.findLastIndex(({ role }) => role === 'user' || role === 'assistant')
  for (const [index, { role, content }] of messages.entries()) {
    const path = `/body/messages/${index}`
    // a client repeats a message that was refused with every later one
    if (!isNew && index < end) continue
    if (role === 'user' || role === 'assistant') conversation.push({ role, ...contentIn(content, `${path}/content`) })
    else if (role === 'system' || role === 'developer') {
      const message = "The Agent's revision has the instructions: messages are of users, assistants and tools."
      throw invalid([{ path: `${path}/role`, message }])
    }
  }
  const last = conversation.pop()
  if (last?.role !== 'user') throw invalid([{ path: '/body/messages', message: 'The last message must be of a user.' }])
  return conversationOf(conversation, last, '/body/messages')
}

/** The message at the end of a thread whose run is over, which begins another one. */
export function messageAgain(messages: readonly AgUiMessage[]): Message {
  const end = messages.findLastIndex(({ role }) => role === 'user')
  const earlier = messages.slice(0, Math.max(0, end))
  return begunAgain(
    earlier.map(({ role, content }) => ({ role, text: textIn(content) })),
    lastMessage(messages, false),
  )
}

/** The decisions on the waiting calls. All but `{approved: true}` reject. */
export function answersIn(
  messages: readonly AgUiMessage[],
  resume: readonly ResumeEntry[],
  pending: readonly PendingCall[],
): Answers {
  const answers: Answers = { results: [], decisions: [], open: [] }
  const outputs = new Map(messages.flatMap((each) => (each.role === 'tool' ? [[each.toolCallId, each] as const] : [])))
  const entries = new Map(resume.map((entry) => [entry.interruptId, entry]))
  for (const call of pending) {
    const { kind, toolCallId, approvalId } = call
    const output = outputs.get(toolCallId)
    const entry = approvalId === undefined ? undefined : entries.get(approvalId)
    if (kind === 'tool' && output) {
      const path = `/body/messages/${messages.indexOf(output)}/content`
      const { text, attachments } = contentIn(output.content, path)
      if (attachments.length > 0)
        throw invalid([{ path, message: 'The output of a tool is text: files are not taken.' }])
      const failed = typeof output.error === 'string' ? { error: output.error } : undefined
      answers.results.push({ toolCallId, result: failed ?? resultOf(text) })
    } else if (approvalId !== undefined && entry) {
      const { approved, reason } = Object(entry.payload) as { approved?: unknown; reason?: unknown }
      const isApproved = entry.status === 'resolved' && approved === true
      const note = typeof reason === 'string' ? { note: reason } : {}
      answers.decisions.push({ toolCallId, approvalId, approved: isApproved, ...note })
    } else answers.open.push(call)
  }
  return answers
}
