/** Contents of messages in both of OpenAI's protocols. */
import { invalid } from '../../platform/http/answers/errors.ts'
import type { ContentItem } from '../../runs/runner/protocol/protocol.ts'
import { attachmentOf, type MessageContent } from '../content.ts'
import { unsupported } from './errors.ts'

type Part = Record<string, unknown> & { type?: unknown }

/** Reads a text, or a list of parts. `path` is its place below the body. */
export function contentOf(content: unknown, path: string): MessageContent {
  if (typeof content === 'string') return { text: content, attachments: [] }
  if (content === null || content === undefined) return { text: '', attachments: [] }
  if (!Array.isArray(content)) throw invalid([{ path: `/body/${path}`, message: 'Must be a text or a list of parts.' }])
  const texts: string[] = []
  const attachments: ContentItem[] = []
  for (const [index, part] of content.entries()) {
    const read = partOf(Object(part), `${path}/${index}`)
    if (typeof read === 'string') texts.push(read)
    else attachments.push(read)
  }
  return { text: texts.join('\n\n'), attachments }
}

const typeCharactersMax = 100

/** `of the type image`, for messages. */
export const withType = (type: unknown): string =>
  typeof type === 'string' ? `of the type ${type.slice(0, typeCharactersMax)}` : 'without a type'

function partOf(part: Part, path: string): string | ContentItem {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal': {
      const text = part.type === 'refusal' ? part.refusal : part.text
      if (typeof text === 'string') return text
      throw invalid([{ path: `/body/${path}`, message: 'Has no text.' }])
    }
    case 'image_url':
      return attachmentOf(Object(part.image_url).url, `/body/${path}/image_url/url`)
    case 'input_image':
      return attachmentOf(part.image_url, `/body/${path}/image_url`)
    case 'file':
      return fileOf(Object(part.file), `${path}/file`)
    case 'input_file':
      return fileOf(part, path)
    default:
      throw unsupported(path, `A part ${withType(part.type)} is not taken.`)
  }
}

const fileOf = ({ file_data, filename }: Record<string, unknown>, path: string) =>
  attachmentOf(file_data, `/body/${path}/file_data`, typeof filename === 'string' ? filename.slice(0, 255) : 'file')
