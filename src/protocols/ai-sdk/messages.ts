/** Parses the last message of a chat. Earlier messages are already stored, unless the conversation begins with them. */
import { invalid } from '../../platform/http/answers/errors.ts'
import type { ContentItem } from '../../runs/runner/protocol/protocol.ts'
import { attachmentOf, begunAgain, conversationOf, type Earlier, type MessageContent } from '../content.ts'
import type { Answers } from '../turns/answers.ts'
import type { PendingCall } from '../turns/events.ts'
import type { Message } from '../turns/turns.ts'

type Part = Record<string, unknown> & { type: string }
export interface UiMessage {
  role: string
  parts: Part[]
}

const textsOf = (parts: readonly Part[]) =>
  parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))

function contentBy({ parts }: UiMessage, path: string): MessageContent {
  const attachments: ContentItem[] = []
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'file') continue
    const name = typeof part.filename === 'string' ? part.filename.slice(0, 255) : 'file'
    attachments.push(attachmentOf(part.url, `${path}/parts/${index}/url`, name))
  }
  return { text: textsOf(parts).join('\n\n'), attachments }
}

/** The message of the user at the end; `isNew`: with those before it as history, which are not read otherwise. */
export function lastMessage(messages: readonly UiMessage[], isNew: boolean): Message {
  const conversation: Earlier[] = []
  for (const [index, each] of messages.entries()) {
    const path = `/body/messages/${index}`
    // a client repeats a message that was refused with every later one
    if (!isNew && index < messages.length - 1) continue
    if (each.role !== 'user' && each.role !== 'assistant') {
      const message = "The Agent's revision has the instructions: messages are of users and assistants."
      throw invalid([{ path: `${path}/role`, message }])
    }
    conversation.push({ role: each.role, ...contentBy(each, path) })
  }
  const last = conversation.pop() as Earlier
  return conversationOf(conversation, last, '/body/messages')
}

/** The message at the end of a chat whose run is over, which begins another one. */
export const messageAgain = (messages: readonly UiMessage[]): Message =>
  begunAgain(
    messages.slice(0, -1).map(({ role, parts }) => ({ role, text: textsOf(parts).join('\n\n') })),
    lastMessage(messages, false),
  )

/** The answers in the assistant's last message to the calls that the run waits for. */
export function answersIn({ parts }: UiMessage, pending: readonly PendingCall[]): Answers {
  const answers: Answers = { results: [], decisions: [], open: [] }
  const byCall = new Map(parts.map((part) => [part.toolCallId, part]))
  for (const call of pending) {
    const { kind, toolCallId, approvalId } = call
    const { state, output, errorText, approval } = byCall.get(toolCallId) ?? ({} as Partial<Part>)
    const decision = Object(approval) as { id?: unknown; approved?: unknown; reason?: unknown }
    if (kind === 'tool' && state === 'output-available') answers.results.push({ toolCallId, result: output ?? null })
    else if (kind === 'tool' && state === 'output-error') {
      answers.results.push({
        toolCallId,
        result: { error: typeof errorText === 'string' ? errorText : 'The tool failed.' },
      })
    } else if (approvalId !== undefined && decision.id === approvalId && typeof decision.approved === 'boolean') {
      const note = typeof decision.reason === 'string' ? { note: decision.reason } : {}
      answers.decisions.push({ toolCallId, approvalId, approved: decision.approved, ...note })
    } else answers.open.push(call)
  }
  return answers
}
