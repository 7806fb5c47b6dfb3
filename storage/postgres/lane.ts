/**
 * One of the connections that commit units of work. Units that arrive during a transaction share the next one, whose
 * statements are pipelined. If a unit fails, the transaction is retried without it; the failure is final only if the
 * unit was the first in its transaction, since otherwise an uncommitted unit before it may be the cause. If the
 * connection is lost at `commit`, the lane asks the database for the outcome before it answers any caller.
 */
import type { ReservedSQL } from 'bun'
import { OutcomeUnknown, StaleWrite, StoreUnavailable } from '../errors.ts'
import type { Write, WriterStatistics } from '../store.ts'
import { ask, type Connections, inTime } from './connections.ts'
import { isConflict, isConnectionLost, isOfOneUnit, storeFailure } from './failures.ts'
import { beginCommit } from './locks.ts'
import { Mark } from './mark.ts'
import type { MultiRows } from './multi-row.ts'
import type { Presence } from './presence.ts'
import { type Mixable, type Step, stepsOf, unknownTexts } from './steps.ts'

interface Waiting extends Mixable {
  /** The unit's organization; null: none, and the unit conflicts with no other commit or excludes all of them. */
  organizationId: string | null
  /** By `performance.now`: the deadline for the caller's answer. */
  until: number
  resolve: () => void
  reject: (reason: unknown) => void
}

const unitsPerTransaction = 256
/** The maximum number of attempts if a transaction conflicts with another server. */
const triesMax = 4
/** The interval of the check for units that have waited too long. */
const watchMs = 1_000

/** A statement of a single unit failed. */
class UnitFailure extends Error {
  constructor(
    readonly place: number,
    readonly failure: unknown,
  ) {
    super('A unit of work failed.')
  }
}

/** A statement for several units failed; one of the units is at fault. */
class StepFailure extends Error {
  constructor(
    readonly places: readonly number[],
    failure?: unknown,
  ) {
    super('A statement of several units failed.', { cause: failure })
  }
}

/** The connection was lost before `commit` was sent. */
class LostBeforeCommit extends StoreUnavailable {
  constructor(cause: unknown) {
    super('The store is not reachable.', { cause })
  }
}

interface LaneParts {
  connections: Connections
  presence: Presence
  /** Whether its units exclude all other commits. */
  isForAll: boolean
  statistics: WriterStatistics
  multiRows: MultiRows
}

export class Lane {
  #waiting: Waiting[] = []
  /** The number of units at the head of the queue that failed in a transaction with others. */
  #failed = 0
  /** The number of times that the batch in progress conflicted with another server. */
  #conflicts = 0
  /** The units of the transaction in progress. */
  #underWay: readonly Waiting[] = []
  /**
   * The `committed` callbacks of statements with `once` that touched rows; called after the transaction in progress.
   */
  #touched: (() => void)[] = []
  #working: Promise<void> | undefined
  #watch: Timer | undefined
  #connection: ReservedSQL | undefined
  #own: Connections | undefined
  readonly #mark: Mark

  constructor(private readonly parts: LaneParts) {
    this.#mark = new Mark(parts.connections)
  }

  put(waiting: Waiting) {
    this.#waiting.push(waiting)
    this.#working ??= this.#work()
  }

  async #work() {
    // units that arrive in the same turn join the transaction
    await new Promise(setImmediate)
    this.#watch ??= setInterval(() => this.#rejectLate(), watchMs)
    while (this.#waiting.length > 0) {
      let batch = this.#waiting.splice(0, unitsPerTransaction)
      this.#failed = 0
      this.#conflicts = 0
      while (batch.length > 0) batch = await this.#commitTogether(batch)
    }
    clearInterval(this.#watch)
    this.#watch = undefined
    this.#working = undefined
  }

  /** Rejects units past their deadline. For the transaction in progress, the outcome is still unknown. */
  #rejectLate() {
    const now = performance.now()
    const late = new OutcomeUnknown('The store does not answer; it is not known whether the change was made.')
    for (const { until, reject } of this.#underWay) if (until < now) reject(late)
    const waiting = this.#waiting.filter(({ until }) => until >= now)
    if (waiting.length === this.#waiting.length) return
    for (const { until, reject } of this.#waiting)
      if (until < now) reject(new StoreUnavailable('The store is too slow.'))
    this.#waiting = waiting
  }

  /**
   * Commits the units. Returns those to retry: all except one whose own statement failed; none once all are committed
   * or rejected.
   */
  async #commitTogether(batch: Waiting[]): Promise<Waiting[]> {
    this.#underWay = batch
    try {
      if (!this.parts.presence.isHeld) await this.parts.presence.hold()
      await this.#transact(batch)
    } catch (error) {
      if (error instanceof UnitFailure) {
        const failed = batch[error.place] as Waiting
        // the cause may be a unit before it, which is not committed yet and may never be
        if (error.place > 0) this.#goesAgain(failed)
        else failed.reject(error.failure)
        return batch.toSpliced(error.place, 1)
      }
      if (error instanceof StepFailure) {
        for (const place of error.places) (batch[place] as Waiting).isAlone = true
        return batch
      }
      if (isConflict(error)) {
        this.#conflicts += 1
        if (this.#conflicts < triesMax) return batch
      }
      for (const { reject } of batch) reject(storeFailure(error))
      return []
    } finally {
      this.#underWay = []
    }
    const { statistics } = this.parts
    statistics.transactions += 1
    statistics.units += batch.length
    statistics.unitsMax = Math.max(statistics.unitsMax, batch.length)
    for (const { unit, resolve } of batch) {
      for (const { committed, once } of unit) if (once === undefined) committed?.()
      resolve()
    }
    for (const committed of this.#touched.splice(0)) committed()
    return []
  }

  /** Queues a failed unit after the transaction in progress, before all units that have not failed. */
  #goesAgain(waiting: Waiting) {
    this.#waiting.splice(this.#failed, 0, waiting)
    this.#failed += 1
  }

  async #connect(): Promise<ReservedSQL> {
    // nothing may be committed without the presence lock: another server may have taken over
    await this.parts.presence.hold()
    this.#own = this.parts.connections.alone()
    try {
      const connection = await this.#own.reserve()
      await this.#mark.prepare(connection)
      this.#connection = connection
      return connection
    } catch (error) {
      await this.#drop()
      throw storeFailure(error)
    }
  }

  async #transact(batch: readonly Waiting[]): Promise<void> {
    const kept = this.#connection
    try {
      await this.#attempt(kept ?? (await this.#connect()), batch)
    } catch (error) {
      // only now does it show that the connection was lost while idle; nothing was committed, so retry with a new one
      if (!kept || !(error instanceof LostBeforeCommit)) throw error
      await this.#attempt(await this.#connect(), batch)
    }
  }

  async #attempt(connection: ReservedSQL, batch: readonly Waiting[]): Promise<void> {
    let id: string
    try {
      id = await this.#execute(connection, batch)
    } catch (error) {
      if (isConnectionLost(error)) {
        await this.#drop()
        throw new LostBeforeCommit(error)
      }
      if (error instanceof StoreUnavailable) await this.#drop()
      else await inTime(ask(connection, 'rollback')).catch(() => this.#drop())
      throw error
    }
    await this.#commit(connection, id)
  }

  /**
   * Sends all statements without waiting in between. Returns the transaction's id. Throws the first `UnitFailure` or
   * `StepFailure`.
   */
  async #execute(connection: ReservedSQL, batch: readonly Waiting[]): Promise<string> {
    const { multiRows } = this.parts
    for (const text of unknownTexts(batch, multiRows)) await inTime(multiRows.learn(connection, text))
    const steps = stepsOf(batch, multiRows)
    const first = [
      ask(connection, 'begin'),
      ask<{ id: string }>(connection, beginCommit, [this.#organizationsOf(batch), ...this.#mark.next()]),
    ] as const
    const sent = steps.map(({ sql, parameters }) => ask(connection, sql, parameters))
    const results = await inTime(Promise.allSettled([...first, ...sent]))
    for (const result of results.slice(0, first.length)) if (result.status === 'rejected') throw result.reason
    this.#touched = []
    for (const [at, step] of steps.entries()) {
      const touched = assertDone(step, results[first.length + at] as Settled)
      if (step.once?.committed && touched > 0) this.#touched.push(step.once.committed)
    }
    return (await first[1]).rows[0]?.id as string
  }

  /** The organizations to lock, as a JSON array; null: all. */
  #organizationsOf(batch: readonly Waiting[]): string | null {
    if (this.parts.isForAll) return null
    const ids = new Set(batch.flatMap(({ organizationId }) => organizationId ?? []))
    return JSON.stringify([...ids])
  }

  async #commit(connection: ReservedSQL, id: string) {
    try {
      await inTime(ask(connection, 'commit'))
    } catch (error) {
      if (!isConnectionLost(error) && !(error instanceof StoreUnavailable)) throw error
      await this.#drop()
      if (!(await this.#mark.wasCommitted(id)))
        throw new StoreUnavailable('The store was lost at a commit.', { cause: error })
    }
  }

  async #drop() {
    this.#connection = undefined
    await this.#own?.close({ timeout: 0 }).catch(() => {})
    this.#own = undefined
  }

  /** Commits the waiting units, then closes the connection. */
  async close() {
    await this.#working
    if (this.#connection) await this.#mark.remove(this.#connection)
    await this.#drop()
  }
}

type Settled = PromiseSettledResult<{ touched: number }>

/** Returns the number of rows that the statement touched. Throws if it failed or touched the wrong number. */
function assertDone({ write, places, rows }: Step, result: Settled): number {
  if (result.status === 'rejected') {
    if (!isOfOneUnit(result.reason)) throw result.reason
    throw write
      ? new UnitFailure(places[0] as number, storeFailure(result.reason))
      : new StepFailure(places, result.reason)
  }
  const { touched } = result.value
  const failure = write && failureOf(write, touched)
  if (failure) throw new UnitFailure(places[0] as number, failure)
  if (rows !== undefined && touched !== rows) throw new StepFailure(places)
  return touched
}

function failureOf({ sql, rows, refusal }: Write, touched: number): Error | undefined {
  if (rows === undefined || touched === rows) return undefined
  return refusal?.() ?? new StaleWrite(`${touched} rows were touched instead of ${rows}: ${sql.slice(0, 80)}`)
}
