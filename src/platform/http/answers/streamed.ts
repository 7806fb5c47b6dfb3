/** Answers whose body is a stream: it may be silent for long, and no proxy may hold it back. */

export interface StreamContext {
  request: Request
  set: { headers: Record<string, string | number> }
  server: { timeout(request: Request, seconds: number): void } | null
}

/** Without a stream the reader has everything, and is told not to reconnect. */
export function streamed(
  { request, set, server }: StreamContext,
  stream: ReadableStream<Uint8Array> | null | undefined,
  mediaType = 'text/event-stream',
): Response {
  if (!stream) return new Response(null, { status: 204 })
  server?.timeout(request, 0)
  set.headers['content-type'] = mediaType
  set.headers['cache-control'] = 'no-cache, no-transform'
  set.headers['x-accel-buffering'] = 'no'
  return new Response(stream)
}
