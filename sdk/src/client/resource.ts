/** Makes methods that call operations from rows of the generated table. */
import { errorOf } from './errors.ts'
import { type List, listOf, type Page } from './list.ts'
import type { RequestOptions } from './options.ts'
import { follow } from './stream.ts'
import { type ApiRequest, jsonOf, type Transport } from './transport.ts'

/** The facts about an operation that the client needs to call it. */
export interface OperationFacts {
  method: string
  /** With `{names}` for values of the input. */
  path: string
  /** Names of query parameters. */
  query?: readonly string[]
  /** Whether the rest of the input is the body. */
  body?: true
  /** Whether it takes an Idempotency-Key. */
  keyed?: true
  answer: 'data' | 'list' | 'body' | 'nothing' | 'events' | 'text' | 'response'
  /** The place of a list's items, if not `data.items`. */
  items?: string
}

type Input = Record<string, unknown>

/** 128 random bits. `crypto.randomUUID` does not exist in pages without https. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Calls one operation. */
export type Call = (facts: OperationFacts, input: Input, options: RequestOptions) => unknown

const isUsed = (value: unknown) => value !== undefined && value !== null

/** The path with its parameters filled in. Throws `TypeError` for a missing one. */
function filled(path: string, input: Input): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name]
    if (!isUsed(value) || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
}

function requestOf(facts: OperationFacts, input: Input, options: RequestOptions): ApiRequest {
  const { method, path, query = [], body, keyed, answer } = facts
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name) && !query.includes(name))
  // an operation without a body refuses unknown query parameters
  const searched = [...query.map((name) => [name, input[name]] as const), ...(body ? [] : rest)]
  const search = new URLSearchParams(
    searched.filter(([, value]) => isUsed(value)).map(([name, value]) => [name, String(value)]),
  ).toString()
  return {
    method,
    path: `${filled(path, input)}${search && `?${search}`}`,
    ...(body && { body: Object.fromEntries(rest) }),
    ...(keyed && { headers: { 'idempotency-key': options.idempotencyKey ?? newKey() } }),
    repeatable: method === 'GET' || keyed === true,
    ...(typeof input.waitSeconds === 'number' && { waitMs: input.waitSeconds * 1_000 }),
    ...(answer === 'response' && { redirect: 'manual' as const }),
    ...(answer === 'text' && { accept: 'text/plain' }),
    options,
  }
}

interface AnswerBody {
  data?: { items?: unknown }
  pagination?: Page<unknown>['pagination']
  [items: string]: unknown
}

/** What the operation answers, taken from the body. Throws an `ApiError` for the JSON of another program. */
async function contentOf<Content>(answer: Response, take: (body: AnswerBody) => Content | undefined): Promise<Content> {
  const content = take(((await jsonOf(answer)) ?? {}) as AnswerBody)
  if (content === undefined) throw await errorOf(answer)
  return content
}

/** The input for the next page; `last` says only where the first one begins. */
const continued = ({ last: _, ...input }: Input, cursor: string): Input => ({ ...input, cursor })

/** Calls operations by this client. */
export function callBy(transport: Transport): Call {
  const send = async <T>(
    read: (answer: Response) => Promise<T>,
    ...[facts, input, options]: Parameters<Call>
  ): Promise<T> => transport.send(requestOf(facts, input, options), read)

  const list = (facts: OperationFacts, input: Input, options: RequestOptions): List<unknown, object> =>
    listOf((cursor) => {
      const take = (body: AnswerBody): Page<unknown> | undefined => {
        const items = facts.items === undefined ? body.data?.items : body[facts.items]
        return Array.isArray(items)
          ? { items, pagination: body.pagination ?? { limit: items.length, hasMore: false } }
          : undefined
      }
      const asked = cursor === undefined ? input : continued(input, cursor)
      return send((answer) => contentOf(answer, take), facts, asked, options)
    })

  return (...call) => {
    const [facts, input, options] = call
    switch (facts.answer) {
      case 'list':
        return list(...call)
      case 'events':
        return follow(transport, requestOf(facts, input, options))
      case 'data':
        return send(
          async (answer) => (answer.status === 204 ? undefined : contentOf(answer, ({ data }) => data)),
          ...call,
        )
      case 'body':
        return send(jsonOf, ...call)
      case 'text':
        return send((answer) => answer.text(), ...call)
      case 'response':
        return send(async (answer) => answer, ...call)
      case 'nothing':
        return send(async (answer) => answer.body?.cancel(), ...call)
    }
  }
}

const takesInput = ({ path, query, body }: OperationFacts) => path.includes('{') || query !== undefined || body === true

/** The operations of a resource as methods of an object. */
export function resourceOf<Resource>(call: Call, operations: Record<string, OperationFacts>): Resource {
  const methods = Object.entries(operations).map(([name, facts]) => [
    name,
    takesInput(facts)
      ? (input: Input = {}, options: RequestOptions = {}) => call(facts, input, options)
      : (options: RequestOptions = {}) => call(facts, {}, options),
  ])
  return Object.fromEntries(methods) as Resource
}
