/**
 * A client of the API that is independent of the implementation, and that checks every response against the API
 * document.
 *
 *     const client = api(server.url, server.key)
 *     const { status, body } = await client.post('/api/v1/agent-runs', { agentId, query: 'Hello' })
 */
import { Conformity, type Document } from './conformity.ts'

/** The address of the API: a base URL, or an app in this process. */
type Target = string | { handle(request: Request): Promise<Response> | Response }

export interface CallOptions {
  /** Overrides the client's key; null sends none. */
  key?: string | null
  headers?: Record<string, string>
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** For responses that break the document on purpose. */
  unchecked?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the test and the API document check what is read from the JSON
type Loose = any

export interface Reply {
  status: number
  headers: Headers
  body: Loose
  requestId: string
}

export interface Client {
  get(path: string, options?: CallOptions): Promise<Reply>
  head(path: string, options?: CallOptions): Promise<Reply>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  put(path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  delete(path: string, options?: CallOptions): Promise<Reply>
  /** Any method; a string, bytes or a form are sent unchanged, with the content type among the headers. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  /** The raw response, for streams; the caller checks only its status and headers. */
  raw(method: string, path: string, body?: unknown, options?: CallOptions & { signal?: AbortSignal }): Promise<Response>
}

const documents = new Map<Target, Promise<Conformity>>()
/** All servers of the program have the same document except for its address, so it is read from the first one. */
const servers = new Set<Target>()
let ofServers: Promise<Conformity> | undefined

/** Registers the URL of a server of the program. */
export const registerServer = (url: string) => void servers.add(url)
/** Removes the URL of a stopped server: another process may get its port next. */
export const unregisterServer = (url: string) => void servers.delete(url)

const send = (target: Target, path: string, init: RequestInit): Promise<Response> | Response =>
  typeof target === 'string'
    ? fetch(target + path, { ...init, redirect: 'manual' })
    : target.handle(new Request(`http://localhost${path}`, init))

async function loadDocument(target: Target): Promise<Conformity> {
  const answer = await send(target, '/docs/json', {})
  if (answer.status !== 200) throw new Error(`/docs/json answered ${answer.status}: ${await answer.text()}`)
  return new Conformity((await answer.json()) as Document)
}

/** The document of a target, read once. */
function documentOf(target: Target): Promise<Conformity> {
  if (servers.has(target)) {
    ofServers ??= loadDocument(target).catch((error) => {
      ofServers = undefined
      throw error
    })
    return ofServers
  }
  const known = documents.get(target) ?? loadDocument(target)
  documents.set(target, known)
  return known
}

function search(query: CallOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parameters.append(name, String(item))
    }
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

const isRaw = (body: unknown) =>
  typeof body === 'string' || body instanceof FormData || ArrayBuffer.isView(body) || body instanceof ReadableStream

async function parsed(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
}

/** The answer, read to its end and checked against the document. */
export async function replyOf(
  target: Target,
  method: string,
  path: string,
  answer: Response,
  { unchecked = false }: CallOptions = {},
): Promise<Reply> {
  const { status, headers } = answer
  const reply = { status, headers, body: await parsed(answer), requestId: headers.get('x-request-id') ?? '' }
  const [pathname = ''] = path.split('?')
  if (!unchecked) (await documentOf(target)).check({ method, path: pathname, ...reply })
  return reply
}

/** A client with an API key; without one it sends unauthenticated requests. */
export function api(target: Target, key: string | null = null): Client {
  const raw: Client['raw'] = async (method, path, body, { key: otherKey, headers = {}, query, signal } = {}) => {
    const credential = otherKey === undefined ? key : otherKey
    const json = body !== undefined && !isRaw(body)
    const init = {
      method,
      signal: signal ?? null,
      headers: {
        ...(credential !== null && { authorization: `Bearer ${credential}` }),
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    }
    return send(target, path + search(query), init as RequestInit)
  }
  const call: Client['call'] = async (method, path, body, options = {}) => {
    const answer = await raw(method, path, body, options)
    return replyOf(target, method, path, answer, options)
  }
  return {
    raw,
    call,
    get: (path, options) => call('GET', path, undefined, options),
    head: (path, options) => call('HEAD', path, undefined, options),
    delete: (path, options) => call('DELETE', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    patch: (path, body, options) => call('PATCH', path, body, options),
  }
}
