/** Answers with texts that were made once. */
import { JsonText } from '../http/answers/json-text.ts'
import type { Compressed } from './made-once.ts'

/** The parts of Elysia's context that an answer needs. */
export interface Answering {
  request: Request
  set: { headers: Record<string, string | number> }
}

const takesGzip = ({ headers }: Request) => /\bgzip\b/.test(headers.get('accept-encoding') ?? '')

/** A text of ours, compressed for whoever can read that. */
export function send({ plain, gzipped }: Compressed, type: string, { request, set }: Answering): Response {
  const compressed = takesGzip(request)
  set.headers['content-type'] = `${type}; charset=utf-8`
  set.headers.vary = 'accept-encoding'
  if (compressed) set.headers['content-encoding'] = 'gzip'
  return new Response(compressed ? gzipped : plain)
}

/** The same for JSON, which is given on as every other answer is; typed as what the text says. */
export function sendJson({ plain, gzipped }: Compressed, { request, set }: Answering): never {
  set.headers.vary = 'accept-encoding'
  if (!takesGzip(request)) return new JsonText(plain) as never
  set.headers['content-type'] = 'application/json;charset=utf-8'
  set.headers['content-encoding'] = 'gzip'
  return new Response(gzipped) as never
}
