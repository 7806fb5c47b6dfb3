/** Converts messages of other protocols to the input of a run. */
import { invalid } from '../platform/http/answers/errors.ts'
import { isBase64 } from '../runs/admission/attachments.ts'
import type { ContentItem, HistoryMessage } from '../runs/runner/protocol/protocol.ts'
import type { Message } from './turns/turns.ts'

/** The content of one message. */
export interface MessageContent {
  text: string
  attachments: ContentItem[]
}

export interface Earlier extends MessageContent {
  role: 'user' | 'assistant'
}

/** In the API's form: the messages before the last one. */
const historyMax = 200
const historyCharactersMax = 262_144

/** The most characters of a data URL before its data. */
const dataUrlHeadMax = 1_000
const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^;,]*)*;base64,/
/** Without its parameters, such as the charset. */
const mediaTypeName = /^ *([\w.+-]+\/[\w.+-]+) *(?:;|$)/

/** An attachment from a data URL. Throws 422 for bad base64, and for any other address: the server fetches nothing. */
export function attachmentOf(url: unknown, path: string, filename = 'file'): ContentItem {
  const match = typeof url === 'string' ? dataUrl.exec(url.slice(0, dataUrlHeadMax)) : null
  const mediaType = match?.[1]
  if (typeof url !== 'string' || !match || mediaType === undefined) {
    throw invalid([{ path, message: 'Must be a data URL with base64; other addresses are not fetched.' }])
  }
  return itemOf(mediaType, url.slice(match[0].length), path, filename)
}

/** An attachment from its data and media type. Throws 422 for bad base64, and without a media type. */
export function attachmentFrom(
  data: string,
  mediaType: unknown,
  paths: { data: string; mediaType: string },
  filename: string,
): ContentItem {
  const [, name] = mediaTypeName.exec(typeof mediaType === 'string' ? mediaType : '') ?? []
  if (name === undefined) {
    throw invalid([{ path: paths.mediaType, message: 'Must be the media type of the data, such as image/png.' }])
  }
  return itemOf(name.toLowerCase(), data, paths.data, filename)
}

function itemOf(mediaType: string, data: string, path: string, filename: string): ContentItem {
  if (!isBase64(data)) throw invalid([{ path, message: 'Must be base64.' }])
  if (mediaType.startsWith('image/')) return { type: 'image', mediaType, data }
  return { type: 'file', mediaType: mediaType as 'text/plain', filename, data }
}

/**
 * A new conversation: its last message, with the earlier ones as history. Attachments of earlier messages are added to
 * the last one, since a history is text. Throws 422 for a history that is too long.
 */
export function conversationOf(earlier: readonly Earlier[], last: MessageContent, path: string): Message {
  const history = earlier.flatMap(({ role, text }): HistoryMessage[] => (text === '' ? [] : [{ role, content: text }]))
  if (history.length > historyMax) {
    throw invalid([{ path, message: `A conversation may have at most ${historyMax} messages before the last one.` }])
  }
  const tooLong = history.some(({ content }) => content.length > historyCharactersMax)
  if (tooLong) {
    throw invalid([{ path, message: `An earlier message may have at most ${historyCharactersMax} characters.` }])
  }
  const contents = [...earlier.flatMap(({ attachments }) => attachments), ...last.attachments]
  return { query: last.text, ...(contents.length > 0 && { contents }), ...(history.length > 0 && { history }) }
}

/**
 * A message that begins another run of a conversation: with the latest of the earlier texts that a history takes. A
 * client repeats earlier messages, also refused ones, so that none of them may be refused.
 */
export function begunAgain(earlier: readonly { role: string; text: string }[], message: Message): Message {
  const history = earlier
    .filter(({ text }) => text !== '' && text.length <= historyCharactersMax)
    .flatMap(({ role, text }) => (role === 'user' || role === 'assistant' ? [{ role, content: text } as const] : []))
    .slice(-historyMax)
  return { ...message, ...(history.length > 0 && { history }) }
}

/** A tool's result as a model returns it: JSON if it is valid JSON, else text. */
export function resultOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
