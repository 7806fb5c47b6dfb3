/** Sends cached texts. */
import { nextTurn } from '../time/next-turn.ts'
import type { Compressed } from './made-once.ts'

/** The parts of Elysia's context that an answer needs. */
interface Answering {
  request: Request
  set: { headers: Record<string, string | number> }
}

const takesGzip = ({ headers }: Request) => /\bgzip\b/.test(headers.get('accept-encoding') ?? '')

/** Sends a text, compressed if the client accepts that. */
export async function send({ plain, gzipped }: Compressed, type: string, answering: Answering): Promise<Response> {
  const { request, set } = answering
  const compressed = takesGzip(request)
  set.headers['content-type'] = `${type};charset=utf-8`
  set.headers.vary = 'accept-encoding'
  if (compressed) set.headers['content-encoding'] = 'gzip'
  // a megabyte, which is written to the socket when this returns: of hundreds at once, a few in each turn
  else await nextTurn()
  return new Response(compressed ? gzipped : plain)
}

/** Sends JSON; typed as the parsed text. */
export const sendJson = (text: Compressed, answering: Answering) => send(text, 'application/json', answering) as never
