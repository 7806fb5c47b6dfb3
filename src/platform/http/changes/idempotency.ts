/**
 * Idempotent requests: the answer is stored under the Idempotency-Key in the transaction of its effect, and a repeated
 * request with the same key gets that answer. Source: contract 0, "Idempotency-Key"; contract 5.
 *
 *     .post('/', ({ caller, body, request, set, requestId, record }) =>
 *       idempotency.answer(
 *         { request, set, requestId, record },
 *         { operation: 'POST /things', caller, path: [], body },
 *         (record) => things.create(caller, body, record),
 *       ))
 */

import { UniqueViolation } from '../../../../storage/errors.ts'
import {
  deleteExpiredAnswer,
  findAnswer,
  insertAnswer,
  listExpiredAnswers,
} from '../../../../storage/platform/idempotency.ts'
import type { Store, Write } from '../../../../storage/store.ts'
import type { IdempotencyRow } from '../../../../storage/tables.ts'
import { forEach, inBatches } from '../../operating/batches.ts'
import type { Clock } from '../../time/clock.ts'
import { dayMs } from '../../time/durations.ts'
import { ApiError, keyReused, serviceUnavailable } from '../answers/errors.ts'
import { publicError } from '../answers/failure.ts'
import { canonical } from '../canonical.ts'
import type { Caller } from '../guard/caller.ts'
import type { RequestRecord } from './request-record.ts'

/** The request that a key is bound to: the same key with another request is refused. */
interface KeyedRequest {
  /** Method and path template. */
  operation: string
  caller: Pick<Caller, 'userId'> & { organizationId: string | null }
  /** The owner of the key within the organization; the user by default. */
  scope?: readonly string[]
  /** The ids in the path. */
  path: readonly string[]
  /** The validated body, without files. */
  body: unknown
  files?: readonly { name: string; type: string; bytes: Uint8Array }[]
}

/** Rules that differ from the defaults. */
interface KeyRules<Body = unknown> {
  /** Refuses requests without a key. */
  required?: boolean
  /** Default 255. */
  lengthMax?: number
  /** The status for a key that was used for another request; default 422. */
  reusedStatus?: 409 | 422
  /** Whether the operation lists 409 for a first request that is still running; else the answer is 503. Default true. */
  listsConflict?: boolean
  /** The status of the answer; default 200. */
  status?: number
  /**
   * Checks whether the caller may see a repeated answer that is no refusal: keys are the user's, but API keys of one user
   * may reach different resources. Throws `notFound`.
   */
  assertVisible?(kept: Body): unknown
}

/** The parts of a handler's context that are read and written here. */
export interface KeyedContext {
  request: Request
  set: { headers: Record<string, string | number>; status?: number | string }
  requestId: string
  /** What is committed besides the effect. */
  record: RequestRecord
}

interface Running {
  fingerprint: string
  /** Settles with the stored answer, or with undefined if there is none. */
  done: Promise<IdempotencyRow | undefined>
}

export const answersKeptMs = dayMs
/** How long a request waits for the first request with its key. */
const waitMsMax = 5_000
/** The interval of reads for the answer of another server that won the race. */
const lookAgainMs = [50, 100, 200, 400]
const printable = /^[\x20-\x7e]+$/
const sha256 = (data: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(data).digest('hex')

/** Whether the answer is final: the state refused the request, so a retry would be refused too. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  ((error.status === 409 && error.code !== 'concurrent_change' && error.code !== 'idempotency_in_progress') ||
    (error.status === 400 && (error.code === 'slug_taken' || error.details?.currentState !== undefined)))

/** The header of a repeated answer. */
export const replayed = 'idempotency-replayed'

export class Idempotency {
  readonly #running = new Map<string, Running>()

  constructor(private readonly parts: { store: Store; clock: Clock }) {}

  /**
   * The body of the answer: of the work, or of the first request with this key. Throws `invalid_idempotency_key` (400),
   * `idempotency_key_reused` or `idempotency_in_progress`, and the errors of the work.
   */
  answer<Body>(
    context: KeyedContext,
    keyed: KeyedRequest,
    work: (record: RequestRecord) => Promise<Body>,
    rules: KeyRules<Body> = {},
  ): Promise<Body> {
    const key = context.request.headers.get('idempotency-key')
    if (key === null && !rules.required) return work(context.record)
    return this.#answer(keyOf(key, rules), context, keyed, work, rules)
  }

  /** Deletes up to `limit` expired answers and returns how many. Called periodically. */
  prune(limit = 500): Promise<number> {
    const { clock } = this.parts
    const { background: store } = this.parts.store
    const now = clock.now()
    return inBatches(limit, async (some) =>
      forEach(await store.all(listExpiredAnswers(store, { now, limit: some })), ({ scope }) =>
        store.commit([deleteExpiredAnswer(store, { scope, now })], null),
      ),
    )
  }

  async #answer<Body>(
    key: string,
    { set, requestId, record }: KeyedContext,
    keyed: KeyedRequest,
    work: (record: RequestRecord) => Promise<Body>,
    rules: KeyRules<Body>,
  ): Promise<Body> {
    const { clock } = this.parts
    const { operation, caller } = keyed
    // the organization comes first, so that its keys are adjacent in the index
    const { scope: owner = [caller.userId] } = keyed
    const scope = [caller.organizationId ?? '', operation, ...owner, key].join('\n')
    const fingerprint = fingerprintOf(keyed)
    const replay = async (kept: IdempotencyRow): Promise<Body> => {
      if (kept.fingerprint !== fingerprint) throw reused(rules)
      const body = JSON.parse(kept.body) as Body
      if (kept.status < 400) await rules.assertVisible?.(body)
      set.headers[replayed] = 'true'
      set.status = kept.status
      return body
    }

    const until = clock.now() + waitMsMax
    for (let running = this.#running.get(scope); running; running = this.#running.get(scope)) {
      if (running.fingerprint !== fingerprint) throw reused(rules)
      const settled = await this.#settles(running.done, until - clock.now())
      if (!settled) throw inProgress(rules)
      if (settled.row) return replay(settled.row)
    }

    // no await since the look-up, so the next request with this key waits for this one
    const { promise, resolve } = Promise.withResolvers<IdempotencyRow | undefined>()
    this.#running.set(scope, { fingerprint, done: promise })
    let kept: IdempotencyRow | undefined
    try {
      const found = await this.#find(scope)
      if (found && found.expires_at > clock.now()) {
        kept = found
        return await replay(found)
      }
      const { store } = this.parts
      const makeRoom = found ? [deleteExpiredAnswer(store, { scope, now: clock.now() })] : []
      const storeAnswer = (status: number, body: unknown) => {
        const row = this.#row({ scope, fingerprint, status, body })
        return { row, writes: [...makeRoom, insertAnswer(store, row)] }
      }
      const result = await this.#work(work, storeAnswer, { record, requestId, status: rules.status ?? 200 })
      kept = result.row
      if (result.error) throw result.error
      return result.body as Body
    } catch (error) {
      kept = await this.#answerOfFaster(error, scope)
      if (!kept) throw error
      return replay(kept)
    } finally {
      this.#running.delete(scope)
      resolve(kept)
    }
  }

  /**
   * The answer that another server gave to the same request, if that is the reason for the refusal here: the key is
   * taken, or the change is already made.
   */
  async #answerOfFaster(error: unknown, scope: string): Promise<IdempotencyRow | undefined> {
    if (error instanceof UniqueViolation) return this.#findUnexpired(scope)
    const { store } = this.parts
    if (!store.membership || !(error instanceof ApiError) || error.status >= 500) return undefined
    for (const waitMs of error.code === 'concurrent_change' ? lookAgainMs : []) {
      const found = await this.#findUnexpired(scope)
      if (found) return found
      await Bun.sleep(waitMs)
    }
    return this.#findUnexpired(scope)
  }

  /** Does the work and stores its answer, with the effect or, if the state refused it, alone. */
  async #work(
    work: (record: RequestRecord) => Promise<unknown>,
    storeAnswer: (status: number, body: unknown) => { row: IdempotencyRow; writes: Write[] },
    { record, requestId, status }: { record: RequestRecord; requestId: string; status: number },
  ): Promise<{ body?: unknown; error?: ApiError; row: IdempotencyRow }> {
    let row: IdempotencyRow | undefined
    try {
      const body = await work((given, before) => {
        const kept = storeAnswer(status, given)
        row = kept.row
        return [...kept.writes, ...record(given, before)]
      })
      if (row) return { body, row }
      const kept = storeAnswer(status, body)
      await this.parts.store.commit(kept.writes, null)
      return { body, row: kept.row }
    } catch (error) {
      if (!isFinal(error)) throw error
      const kept = storeAnswer(error.status, publicError(error, requestId))
      await this.parts.store.commit(kept.writes, null)
      return { error, row: kept.row }
    }
  }

  /** The answer that the running request stores; undefined if it takes too long. */
  #settles(done: Running['done'], waitMs: number): Promise<{ row: IdempotencyRow | undefined } | undefined> {
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(waitMs, () => resolve(undefined))
      done.then((row) => {
        timer.cancel()
        resolve({ row })
      })
    })
  }

  #find(scope: string): Promise<IdempotencyRow | undefined> {
    return this.parts.store.first(findAnswer(this.parts.store, { scope }))
  }

  async #findUnexpired(scope: string): Promise<IdempotencyRow | undefined> {
    const found = await this.#find(scope)
    return found && found.expires_at > this.parts.clock.now() ? found : undefined
  }

  #row(answer: Pick<IdempotencyRow, 'scope' | 'fingerprint' | 'status'> & { body: unknown }): IdempotencyRow {
    const now = this.parts.clock.now()
    return { ...answer, body: JSON.stringify(answer.body ?? null), created_at: now, expires_at: now + answersKeptMs }
  }
}

function keyOf(key: string | null, { lengthMax = 255 }: KeyRules): string {
  if (key !== null && key.length <= lengthMax && printable.test(key)) return key
  const problem = key === null ? 'is missing' : `must be 1 to ${lengthMax} printable ASCII characters`
  throw new ApiError(400, 'invalid_idempotency_key', `The Idempotency-Key ${problem}.`)
}

const fingerprintOf = ({ operation, path, body, files = [] }: KeyedRequest): string =>
  sha256(canonical([operation, path, body ?? null, files.map(({ name, type, bytes }) => [name, type, sha256(bytes)])]))

const reused = ({ reusedStatus = 422 }: KeyRules) =>
  keyReused('The Idempotency-Key was already used for a different request; use a new one.', reusedStatus)

const inProgress = ({ listsConflict = true }: KeyRules) =>
  listsConflict
    ? new ApiError(409, 'idempotency_in_progress', 'The first request with this Idempotency-Key is still running.')
    : serviceUnavailable('The first request with this Idempotency-Key is still running.')
