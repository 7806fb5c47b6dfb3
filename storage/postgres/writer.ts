/**
 * The group-commit writer of PostgreSQL. Units of work that wait while a transaction is under way share the next one, and all
 * of them commit one after the other, so that "an update that must touch no row" means the same as in SQLite. The connection
 * that they go through holds a lock of the database as long as it lives: two servers on one store would each believe to own
 * every lease.
 *
 * A unit that fails is taken out and the others go again. When the connection is lost at `commit`, the database is asked what
 * became of the transaction before anybody hears of it.
 */
import type { ReservedSQL } from 'bun'
import { StaleWrite, StoreUnavailable } from '../errors.ts'
import type { Write, WriterStatistics } from '../store.ts'
import { ask, type Connections, inTime } from './connections.ts'
import { isConnectionLost, isOfOneUnit, storeFailure } from './failures.ts'

interface Waiting {
  unit: readonly Write[]
  resolve: () => void
  reject: (reason: unknown) => void
}

const unitsPerTransaction = 256
/** How long a transaction of unknown outcome is asked for. */
const resolveMs = 5_000
const askAgainMs = 100
/** Of the server that writes, as long as its connection lives. */
const lock = 'select pg_try_advisory_lock(0) as is_mine'
const lockPatienceMs = 1_000
const transactionId = 'select cast(pg_current_xact_id() as text) as id'

export const inUse = 'The store is in use by another server.'

/** A unit that has failed by itself. */
class UnitFailure extends Error {
  constructor(
    readonly place: number,
    readonly failure: unknown,
  ) {
    super('A unit of work failed.')
  }
}

/** The connection ended before its transaction was to be committed. */
class LostBeforeCommit extends StoreUnavailable {
  constructor(cause: unknown) {
    super('The store is not reachable.', { cause })
  }
}

export class PostgresWriter {
  readonly statistics: WriterStatistics = { transactions: 0, units: 0, unitsMax: 0 }
  #waiting: Waiting[] = []
  #working: Promise<void> | undefined
  /** That holds the lock, and what ends it. */
  #connection: ReservedSQL | undefined
  #own: Connections | undefined
  #closed = false

  constructor(private readonly connections: Connections) {}

  /** Resolves when the unit is durable. */
  commit(unit: readonly Write[]): Promise<void> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  async #work() {
    // what else comes in this turn goes along
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      let batch = this.#waiting.splice(0, unitsPerTransaction)
      while (batch.length > 0) batch = await this.#commitTogether(batch)
    }
    this.#working = undefined
  }

  /** Returns the units that are to be tried again: all but one that failed by itself. */
  async #commitTogether(batch: Waiting[]): Promise<Waiting[]> {
    try {
      await this.#transact(batch.map(({ unit }) => unit))
    } catch (error) {
      if (!(error instanceof UnitFailure)) {
        for (const { reject } of batch) reject(storeFailure(error))
        return []
      }
      batch[error.place]?.reject(error.failure)
      return batch.toSpliced(error.place, 1)
    }
    this.statistics.transactions += 1
    this.statistics.units += batch.length
    this.statistics.unitsMax = Math.max(this.statistics.unitsMax, batch.length)
    for (const { unit, resolve } of batch) {
      for (const { committed } of unit) committed?.()
      resolve()
    }
    return []
  }

  /** Makes this server the one that writes. Throws `StoreUnavailable`, also while another one is. */
  async connect(): Promise<ReservedSQL> {
    this.#own = this.connections.alone()
    try {
      const connection = await this.#own.reserve()
      // the connection before may not have ended yet for the database
      for (const until = performance.now() + lockPatienceMs; !(await isLocked(connection)); await Bun.sleep(askAgainMs))
        if (performance.now() >= until) throw new StoreUnavailable(inUse)
      this.#connection = connection
      return connection
    } catch (error) {
      await this.#drop()
      throw storeFailure(error)
    }
  }

  async #transact(units: readonly (readonly Write[])[]): Promise<void> {
    const kept = this.#connection
    try {
      await this.#attempt(kept ?? (await this.connect()), units)
    } catch (error) {
      // one that was lost while nothing went over it is noticed now; nothing was committed, and another one may serve
      if (!kept || !(error instanceof LostBeforeCommit)) throw error
      await this.#attempt(await this.connect(), units)
    }
  }

  async #attempt(connection: ReservedSQL, units: readonly (readonly Write[])[]): Promise<void> {
    let id: string
    try {
      id = await this.#execute(connection, units)
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

  /** All statements are sent at once. Returns the id of the transaction. Throws `UnitFailure` for the first unit that failed. */
  async #execute(connection: ReservedSQL, units: readonly (readonly Write[])[]): Promise<string> {
    const begun = ask(connection, 'begin')
    const named = ask<{ id: string }>(connection, transactionId)
    const sent = units.map((unit) => unit.map(({ sql, parameters }) => ask(connection, sql, parameters)))
    const [first, second, ...results] = await inTime(Promise.allSettled([begun, named, ...sent.flat()]))
    if (first.status === 'rejected') throw first.reason
    if (second.status === 'rejected') throw second.reason
    let next = 0
    for (const [place, unit] of units.entries()) {
      for (const write of unit) {
        const result = results[next] as PromiseSettledResult<{ touched: number }>
        next += 1
        if (result.status === 'rejected') {
          if (isOfOneUnit(result.reason)) throw new UnitFailure(place, storeFailure(result.reason))
          throw result.reason
        }
        const failure = failureOf(write, result.value.touched)
        if (failure) throw new UnitFailure(place, failure)
      }
    }
    return (second.value.rows[0] as { id: string }).id
  }

  async #commit(connection: ReservedSQL, id: string) {
    try {
      await inTime(ask(connection, 'commit'))
    } catch (error) {
      if (!isConnectionLost(error) && !(error instanceof StoreUnavailable)) throw error
      await this.#drop()
      if (!(await this.#isCommitted(id)))
        throw new StoreUnavailable('The store was lost at a commit.', { cause: error })
    }
  }

  /** What became of a transaction whose answer was lost. Throws `StoreUnavailable` when that cannot be known in time. */
  async #isCommitted(id: string): Promise<boolean> {
    const until = performance.now() + resolveMs
    for (;;) {
      const asked = await this.connections
        .ask<{ status: string | null }>('select pg_xact_status(cast($1 as xid8)) as status', [id])
        .catch(() => undefined)
      const status = asked?.rows[0]?.status
      if (status === 'committed') return true
      if (status === 'aborted' || status === null) return false
      if (performance.now() > until)
        throw new StoreUnavailable('The store was lost at a commit; it is not known whether it was made.')
      await Bun.sleep(askAgainMs)
    }
  }

  async #drop() {
    this.#connection = undefined
    await this.#own?.close({ timeout: 0 }).catch(() => {})
    this.#own = undefined
  }

  /** Commits what waits, and takes nothing more. */
  async close() {
    this.#closed = true
    await this.#working
    await this.#drop()
  }
}

function failureOf({ sql, rows, refusal }: Write, touched: number): Error | undefined {
  if (rows === undefined || touched === rows) return undefined
  return refusal?.() ?? new StaleWrite(`${touched} rows were touched instead of ${rows}: ${sql.slice(0, 80)}`)
}

/** Takes the lock, where nobody else has it. */
async function isLocked(connection: ReservedSQL): Promise<boolean> {
  const { rows } = await inTime(ask<{ is_mine: number }>(connection, lock))
  return rows[0]?.is_mine === 1
}
