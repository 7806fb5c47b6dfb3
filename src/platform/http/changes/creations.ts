/**
 * Creations with an optional Idempotency-Key: a repeated request with the same key creates nothing and gets the first
 * answer. Source: contract 0, "Creating revisions, Releases".
 */
import type { Caller } from '../guard/caller.ts'
import type { ListedError } from '../guard/route.ts'
import type { Idempotency, KeyedContext } from './idempotency.ts'
import type { RequestRecord } from './request-record.ts'

/** The context of a guarded creation handler. */
interface CreationContext extends KeyedContext {
  caller: Caller
  /** The path's template: `/things/:thingId`. */
  route: string
  /** Omitted by a route without path parameters. */
  params?: object
  body: unknown
}

interface Creation<Context, Data> {
  /** The status of the answer. */
  status: 200 | 201 | 202
  work(context: Context, record: RequestRecord): Promise<Data>
  /** Reads an immutable resource again when the stored answer holds only its id. */
  read?(context: Context, id: string): Promise<Data>
  /** Throws `notFound` if the stored answer shows a resource outside the scope of the caller's credential. */
  assertInScope?(context: Context, id: string): Promise<unknown>
  /** The value that identifies a body that contains a secret; by default the body itself. */
  fingerprint?(context: Context): unknown | Promise<unknown>
  /** Whether a first request that is still running is a 409; else the answer is 503. */
  listsConflict?: boolean
}

/** The operation's name in stored keys: `POST /things/{thingId}`. */
const operationOf = (method: string, route: string) => `${method} ${route.replaceAll(/:(\w+)/g, '{$1}')}`

export const creating =
  (idempotency: Idempotency) =>
  async <Context extends CreationContext, Data extends object>(
    context: Context,
    { status, work, read, assertInScope, fingerprint, listsConflict = true }: Creation<Context, Data>,
  ): Promise<{ data: Data }> => {
    const { caller, route, params, request, record } = context
    if (!request.headers.has('idempotency-key')) return { data: await work(context, record) }
    const keyed = {
      operation: operationOf(request.method, route),
      caller,
      path: [caller.organizationId, ...Object.values((params ?? {}) as Record<string, string>)],
      body: fingerprint ? await fingerprint(context) : context.body,
    }
    const answer = await idempotency.answer<{ data: Data | { id: string } }>(
      context,
      keyed,
      async (recordAnswer) => ({ data: await work(context, recordAnswer) }),
      {
        status,
        listsConflict,
        ...(assertInScope && { assertVisible: ({ data }) => assertInScope(context, (data as { id: string }).id) }),
      },
    )
    if (!read) return answer as { data: Data }
    return { data: await read(context, (answer.data as { id: string }).id) }
  }

/** The errors of an idempotent creation, for the API document. */
export const keyErrors: ListedError[] = ['invalid_idempotency_key', ['idempotency_key_reused', 422]]
export const keyErrorsWithConflict: ListedError[] = [...keyErrors, 'idempotency_in_progress']
