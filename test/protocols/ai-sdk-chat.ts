/** The AI SDK's own client of a chat, which `useChat` wraps. */
import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import type { World } from './world.ts'

type Metadata = { agentRunId: string; usage?: { outputTokens: number } }
export type Message = UIMessage<Metadata>

export const assistant = 'agt_system_assistant'

export interface ChatOptions {
  agent?: string
  key?: string
  id?: string
  messages?: Message[]
}

let chats = 0

export function chatOf(
  world: Pick<World, 'url' | 'key'>,
  { agent = assistant, key = world.key, id, messages = [] }: ChatOptions = {},
) {
  chats += 1
  const transport = new DefaultChatTransport<Message>({
    api: `${world.url}/ai-sdk/chat/${agent}`,
    headers: { authorization: `Bearer ${key}` },
    prepareReconnectToStreamRequest: ({ api, id }) => ({
      api: `${api}/${encodeURIComponent(id)}/stream?after=${messages.findLast(({ role }) => role === 'assistant')?.id ?? 'none'}`,
    }),
  })
  return new Chat<Message>({
    id: id ?? `chat ${chats}`,
    transport,
    messages,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) || lastAssistantMessageIsCompleteWithApprovalResponses(state),
  })
}
export type AnyChat = ReturnType<typeof chatOf>

/** The texts of a message, one for each part. */
export const textOf = ({ parts }: Message) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('|')

export const last = (chat: AnyChat) => chat.messages.at(-1) as Message

/** Sends a text, and returns that of the answer. */
export async function say(chat: AnyChat, text: string): Promise<string> {
  await chat.sendMessage({ text })
  return textOf(last(chat))
}
