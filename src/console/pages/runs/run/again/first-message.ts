/** The first message of a run, to be sent again: its text and attachments. */
import type { Api } from '../../../../api/client.ts'

type StartBody = Parameters<Api['v1']['agent-runs']['post']>[0]
type Contents = NonNullable<Extract<StartBody, { contents?: unknown }>['contents']>

export interface FirstMessage {
  query: string
  contents: Contents
}

interface Part {
  type?: unknown
  text?: unknown
  image?: unknown
  data?: unknown
  mediaType?: unknown
  filename?: unknown
}

const imageTypes = /^image\/(?:png|jpeg|gif|webp)$/

function contentOf({ type, text, image, data, mediaType, filename }: Part): Contents {
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', text }]
  const bytes = image ?? data
  if (typeof bytes !== 'string' || typeof mediaType !== 'string') return []
  if (type === 'image' && imageTypes.test(mediaType)) return [{ type: 'image', mediaType, data: bytes }]
  if (type !== 'file' || mediaType !== 'application/pdf') return []
  return [{ type: 'file', mediaType, filename: typeof filename === 'string' ? filename : 'file.pdf', data: bytes }]
}

const isUser = (message: unknown): message is { role: 'user'; content: unknown } =>
  typeof message === 'object' && message !== null && (message as { role?: unknown }).role === 'user'

function partsOf({ content }: { content: unknown }): Contents {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.flatMap((part) => contentOf(Object(part))) : []
}

const textOf = (parts: Contents) => (parts[0]?.type === 'text' ? parts[0].text : '')

/**
 * The message that started the run, found by its beginning, because earlier messages of a conversation precede it. Undefined
 * if it was removed.
 */
export function firstMessageOf(messages: readonly unknown[], beginning: string | null): FirstMessage | undefined {
  const all = messages.filter(isUser).map(partsOf)
  const parts = all.find((each) => beginning !== null && textOf(each).trimStart().startsWith(beginning)) ?? all[0]
  if (!parts || parts.length === 0) return undefined
  const query = textOf(parts)
  return { query, contents: query === '' ? parts : parts.slice(1) }
}
