/** HEAD for every GET: the same status and headers, no body. Source: requirement 4.14; RFC 9110, 9.3.2. */

/** The handler of requests. */
export type Handle = (request: Request) => Response | Promise<Response>

/** The HEAD request behind the GET that replaces it. */
const originals = new WeakMap<Request, Request>()

/** The request that the server received, which knows the peer's address. */
export const originalOf = (request: Request): Request => originals.get(request) ?? request

const isStream = (headers: Headers) => headers.get('content-type')?.startsWith('text/event-stream') ?? false

async function answerHead(handle: Handle, request: Request): Promise<Response> {
  const { url, headers: requestHeaders, signal } = request
  const get = new Request(url, { method: 'GET', headers: requestHeaders, signal })
  originals.set(get, request)
  const response = await handle(get)
  const headers = new Headers(response.headers)
  if (isStream(headers)) await response.body?.cancel()
  else if (response.status !== 204 && response.status !== 304 && !headers.has('content-length')) {
    headers.set('content-length', String((await response.arrayBuffer()).byteLength))
  }
  return new Response(null, { status: response.status, headers })
}

/** Wraps the handling of requests; anything but HEAD passes through. */
export const withHead =
  (handle: Handle): Handle =>
  (request) =>
    request.method === 'HEAD' ? answerHead(handle, request) : handle(request)
