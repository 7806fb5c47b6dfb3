/**
 * Limits the size of a model's answer while it is read and decompressed, so that a misbehaving vendor cannot exhaust
 * memory. Source: contract 5, "An answer of a model is at most 8 MiB".
 */
import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ProviderFailure } from '../errors.ts'
import type { StepPart } from '../step.ts'

const mebibyte = 1024 * 1024
/** The limit on text, reasoning and tool inputs together, as stored JSON. */
const answerBytesMax = 8 * mebibyte
/** The limit on one event, which may contain the whole answer in the vendor's format. */
const lineBytesMax = 9 * mebibyte
/** The limit on the whole response, most of which is the vendor's framing of each token. */
const replyBytesMax = 64 * mebibyte
const newline = 10
const quotes = 2

const tooLarge = () =>
  new ProviderFailure('provider_error', 'answer_too_large: the answer of the model is larger than 8 MiB as JSON.')

/** Passes on the parts of a step within the limit. Throws ProviderFailure. */
export async function* withinBounds(parts: AsyncIterable<StepPart>): AsyncGenerator<StepPart, void, undefined> {
  let bytes = 0
  for await (const part of parts) {
    if (part.type !== 'finish' && part.type !== 'toolCall') {
      bytes += Buffer.byteLength(JSON.stringify(part.text)) - quotes
      if (bytes > answerBytesMax) throw tooLarge()
    }
    yield part
  }
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}
const isKnown = (encoding: string): encoding is keyof typeof decoders => Object.hasOwn(decoders, encoding)

/** A `fetch` that requests uncompressed responses, decompresses others piece by piece, and aborts beyond the limit. */
export const boundedFetch = (send: typeof fetch): typeof fetch =>
  (async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    headers.set('accept-encoding', 'identity')
    const reply = await send(input, { ...init, headers, decompress: false } as RequestInit)
    if (!reply.body) return reply
    const encoding = reply.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
    const plain = isKnown(encoding) ? decompressed(reply.body, encoding) : reply.body
    const { status, statusText } = reply
    const shown = new Headers(reply.headers)
    shown.delete('content-encoding')
    shown.delete('content-length')
    return new Response(counted(plain), { status, statusText, headers: shown })
  }) as typeof fetch

function decompressed(body: ReadableStream<Uint8Array>, encoding: keyof typeof decoders): AsyncIterable<Uint8Array> {
  const source = Readable.fromWeb(body as unknown as Parameters<typeof Readable.fromWeb>[0])
  const plain = decoders[encoding]()
  source.on('error', (error) => plain.destroy(error))
  plain.on('close', () => source.destroy())
  return source.pipe(plain)
}

function counted(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  let all = 0
  let line = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) return controller.close()
        all += value.length
        const end = value.lastIndexOf(newline)
        line = end === -1 ? line + value.length : value.length - end - 1
        if (all > replyBytesMax || line > lineBytesMax) {
          await pieces.return?.()
          return controller.error(tooLarge())
        }
        controller.enqueue(value)
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
