/** Sends cached texts. */
import { JsonText } from '../http/answers/json-text.ts'
import type { Compressed } from './made-once.ts'

/** The parts of Elysia's context that an answer needs. */
interface Answering {
  request: Request
  set: { headers: Record<string, string | number> }
}

const takesGzip = ({ headers }: Request) => /\bgzip\b/.test(headers.get('accept-encoding') ?? '')

/** Sends a text, compressed if the client accepts that. */
export function send({ plain, gzipped }: Compressed, type: string, { request, set }: Answering): Response {
  const compressed = takesGzip(request)
  set.headers['content-type'] = `${type}; charset=utf-8`
  set.headers.vary = 'accept-encoding'
  if (compressed) set.headers['content-encoding'] = 'gzip'
  return new Response(compressed ? gzipped : plain)
}

/** Sends JSON through the usual response path; typed as the parsed text. */
export function sendJson({ plain, gzipped }: Compressed, { request, set }: Answering): never {
  set.headers.vary = 'accept-encoding'
  if (!takesGzip(request)) return new JsonText(plain) as never
  set.headers['content-type'] = 'application/json;charset=utf-8'
  set.headers['content-encoding'] = 'gzip'
  return new Response(gzipped) as never
}
