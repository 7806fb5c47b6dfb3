/**
 * The builtin tool `fetch`: reads a web page. Every address, including those of redirects, passes the outbound guard;
 * only the request for the page is sent. Source: trust 3.2.
 */
import type { OutboundAnswer, OutboundClient } from '../../../platform/outbound/client.ts'
import { OutboundError, UnsendableRequest } from '../../../platform/outbound/error.ts'
import { ToolError, type ToolExecutor } from './executor.ts'
import { markdownOf } from './markdown.ts'

export type PageReader = Pick<OutboundClient, 'request'>

const timeoutMs = 20_000
/** The most bytes that are read of a page. */
const bodyBytesMax = 512 * 1024
const redirectsMax = 5
const charactersDefault = 20_000
const charactersMax = 100_000
const urlCharactersMax = 2_048
const redirects = new Set([301, 302, 303, 307, 308])
const readable = /^\s*(?:text\/|[^;]*[/+](?:json|xml)\b)/i

export const fetchTool = (outbound: PageReader): ToolExecutor => ({
  idempotent: true,
  description: 'Reads a page of the web and returns its text: HTML as Markdown, JSON and other texts as they are.',
  inputSchema: {
    type: 'object',
    properties: {
      url: { type: 'string', minLength: 1, maxLength: urlCharactersMax, description: 'The address, with https.' },
      maxCharacters: {
        type: 'integer',
        minimum: 1,
        maximum: charactersMax,
        description: `How much of the text; left out: ${charactersDefault.toLocaleString('en')}.`,
      },
    },
    required: ['url'],
    additionalProperties: false,
  },
  async execute({ url, maxCharacters = charactersDefault }, { signal }) {
    const { answer, at } = await followed(outbound, String(url), signal)
    return pageOf(answer, at, Number(maxCharacters))
  },
})

async function followed(outbound: PageReader, url: string, signal: AbortSignal) {
  let at = url
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  for (let hops = 0; hops <= redirectsMax; hops += 1) {
    const answer = await exchange(outbound, at, ends, signal)
    const target = redirects.has(answer.status) ? URL.parse(answer.headers.location ?? '', at) : null
    if (!target) return { answer, at }
    target.hash = ''
    at = target.href
  }
  throw new ToolError(`The page redirects more than ${redirectsMax} times.`)
}

async function exchange(
  outbound: PageReader,
  url: string,
  ends: AbortSignal,
  outer: AbortSignal,
): Promise<OutboundAnswer> {
  try {
    return await outbound.request({
      url,
      method: 'GET',
      headers: { accept: 'text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1' },
      timeoutMs,
      bodyBytesMax,
      redirects: 'answer',
      signal: ends,
    })
  } catch (error) {
    if (outer.aborted) throw outer.reason
    if (error instanceof OutboundError || error instanceof UnsendableRequest) {
      throw new ToolError(`The page could not be read: ${error.message}`)
    }
    if (ends.aborted) throw new ToolError('The page could not be read: it took too long.')
    throw error
  }
}

async function pageOf({ status, headers, body, truncated }: OutboundAnswer, url: string, charactersWanted: number) {
  const type = headers['content-type'] ?? 'text/plain'
  const [mediaType = ''] = type.toLowerCase().split(';')
  if (!readable.test(type)) {
    throw new ToolError(`The page answered ${status} with ${mediaType.trim().slice(0, 100)}, which is no text.`)
  }
  const text = decodedText(type, body)
  const page = /html/.test(mediaType) ? await markdownOf(text, url) : { title: null, text }
  const shown = page.text.slice(0, charactersWanted).toWellFormed()
  return {
    url,
    status,
    ...(page.title === null ? {} : { title: page.title.slice(0, 500).toWellFormed() }),
    text: shown,
    ...(truncated || shown.length < page.text.length ? { truncated: true } : {}),
  }
}

function decodedText(type: string, body: Uint8Array): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset as Bun.Encoding).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
