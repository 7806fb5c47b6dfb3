/**
 * The group-commit writer. Units of work that arrive in one turn of the event loop share one transaction, so that a
 * hundred concurrent commands cost one fsync. If a unit fails, the transaction is repeated with a savepoint for each, so
 * that the failing ones are undone alone, and the others still cost one fsync. Units of background work come last in a
 * transaction, as many as the pace allows. Source: design 3, rule 5; contract 9, "Background work".
 */
import type { Database } from 'bun:sqlite'
import { StaleWrite, StoreUnavailable } from '../errors.ts'
import { type Pace, stretchMs } from '../pace.ts'
import type { Write, WriterStatistics } from '../store.ts'
import { Closing } from './closing.ts'
import { isLocked, isOfOneUnit, storeFailure } from './failures.ts'
import type { Statements } from './statements.ts'

interface Waiting {
  unit: readonly Write[]
  resolve: () => void
  reject: (reason: unknown) => void
  characters: number
  /** When it started to wait for another connection's lock. */
  lockedSince: number | undefined
}

/** The units that were undone alone, and why. */
type Failures = Map<Waiting, unknown>

interface Manner {
  /** Whether units of background work join. */
  behind: boolean
  /** Whether a failing unit is undone alone; else it fails the transaction. */
  apart: boolean
}

const together: Manner = { behind: false, apart: false }

/** The maximum number of units per transaction, which blocks the event loop; the others wait for the next turn. */
const unitsPerTransaction = 1_000
/**
 * The maximum number of characters in texts that may be long (`textsOf`) per transaction, unless a single unit has more.
 */
const charactersPerTransaction = 1024 * 1024
/** Up to this many parameters are passed as arguments, more as an array. */
const fewParameters = 6
/** The retry interval while another connection holds the lock; the event loop continues meanwhile. */
const askAgainMs = 10

function charactersOf(unit: readonly Write[]): number {
  let characters = 0
  for (const { textsOf, parameters } of unit) {
    if (textsOf === undefined) continue
    for (const value of parameters) if (typeof value === 'string') characters += value.length
  }
  return characters
}

export class GroupCommitWriter {
  readonly statistics: WriterStatistics = { transactions: 0, units: 0, unitsMax: 0 }
  #waiting: Waiting[] = []
  /** Waiting units of background work, and whether the pace has been asked for a turn. */
  #behind: Waiting[] = []
  #asked = false
  /** The `committed` callbacks of statements with `once` that touched rows; called after the transaction. */
  readonly #touched: (() => void)[] = []
  #scheduled = false
  #paused = false
  #closed = false

  constructor(
    private readonly database: Database,
    private readonly statements: Statements,
    private readonly busyTimeoutMs: number,
    private readonly pace: Pace,
    /** Called before each transaction. Throws `StoreUnavailable` if nothing may be written. */
    private readonly assertWritable: () => void = () => {},
    /** Called after each transaction. */
    private readonly committed: () => void = () => {},
  ) {}

  /** Resolves when the unit is durable. */
  commit(unit: readonly Write[]): Promise<void> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject, characters: charactersOf(unit), lockedSince: undefined })
      if (this.#scheduled) return
      this.#schedule()
    })
  }

  /** The same for background work: waits for its turn. */
  commitBehind(unit: readonly Write[]): Promise<void> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    return new Promise((resolve, reject) => {
      this.#behind.push({ unit, resolve, reject, characters: 0, lockedSince: undefined })
      this.#askForTurn()
    })
  }

  #askForTurn() {
    if (this.#asked || this.#behind.length === 0) return
    this.#asked = true
    this.pace.whenFree(() => {
      this.#asked = false
      if (!this.#scheduled) this.#schedule()
    })
  }

  /** Makes all units wait until `resume`. */
  pause() {
    this.#paused = true
  }

  resume() {
    this.#paused = false
    if (this.#waiting.length + this.#behind.length > 0 && !this.#scheduled) this.#schedule()
  }

  readonly #turn = () => {
    this.#scheduled = false
    if (this.#paused) return
    const behind = this.#behind.length > 0 && this.pace.isFree
    if (this.#waiting.length === 0 && !behind) return this.#askForTurn()
    if (!this.#commitTogether(this.#next(), { ...together, behind })) {
      this.#scheduled = true
      setTimeout(this.#turn, askAgainMs)
    } else if (this.#waiting.length > 0) this.#schedule()
    else this.#askForTurn()
  }

  /**
   * Commits after the next poll of the sockets. While one batch was committed and answered, the clients of the batch
   * before it sent new requests; without the poll these would form a batch of their own, and batches would stay half as
   * large forever.
   */
  #schedule() {
    this.#scheduled = true
    setImmediate(() => setImmediate(this.#turn))
  }

  #next(): Waiting[] {
    const all = this.#waiting
    let count = 0
    for (let characters = 0; count < Math.min(all.length, unitsPerTransaction); count += 1) {
      characters += (all[count] as Waiting).characters
      if (characters > charactersPerTransaction && count > 0) break
    }
    if (count === all.length) {
      this.#waiting = []
      return all
    }
    this.#waiting = all.slice(count)
    return all.slice(0, count)
  }

  /** Commits the units or rejects those that fail. Returns false while another connection holds the lock. */
  #commitTogether(batch: readonly Waiting[], manner = together): boolean {
    let all: readonly Waiting[] = []
    const failures: Failures = new Map()
    try {
      all = this.#transaction(batch, manner, failures)
    } catch (error) {
      if (isLocked(error)) {
        this.#waitForLock(batch, error)
        return false
      }
      if (batch.length > 1 && isOfOneUnit(error)) {
        return manner.apart ? this.#commitEach(batch) : this.#commitTogether(batch, { ...together, apart: true })
      }
      const failure = storeFailure(error)
      const rejected = batch.length > 0 ? batch : this.#behind.splice(0)
      for (const { reject } of rejected) reject(failure)
      return true
    }
    this.statistics.transactions += 1
    const units = all.length - failures.size
    this.statistics.units += units
    this.statistics.unitsMax = Math.max(this.statistics.unitsMax, units)
    for (const waiting of all) {
      if (failures.has(waiting)) {
        waiting.reject(failures.get(waiting))
        continue
      }
      waiting.resolve()
      for (const { committed, once } of waiting.unit) if (once === undefined) committed?.()
    }
    for (const committed of this.#touched.splice(0)) committed()
    this.committed()
    return true
  }

  /** Commits each unit in a transaction of its own: a smaller one may still have room on the disk. */
  #commitEach(batch: readonly Waiting[]): boolean {
    return batch.every((alone, index) => {
      if (this.#commitTogether([alone])) return true
      this.#waiting = [...this.#waiting, ...batch.slice(index + 1)]
      return false
    })
  }

  /** Returns the units of the transaction. Adds those that were undone alone to `failures`. */
  #transaction(batch: readonly Waiting[], { behind, apart }: Manner, failures: Failures): readonly Waiting[] {
    const taken: Waiting[] = []
    this.#touched.length = 0
    this.assertWritable()
    this.statements.of('begin immediate').run()
    try {
      if (apart) for (const waiting of batch) this.#executeApart(waiting, failures)
      else this.#executeUnits(batch)
      if (behind) this.#executeBehind(batch, taken, failures)
      else this.statements.of('commit').run()
    } catch (error) {
      // on a full disk SQLite may have rolled back by itself; no transaction may stay open
      if (this.database.inTransaction) this.statements.of('rollback').run()
      // they are retried like those of requests
      this.#behind = [...taken, ...this.#behind]
      throw error
    }
    return taken.length > 0 ? [...batch, ...taken] : batch
  }

  /** Executes as many units of background work as time allows, at least one, and commits. Adds them to `taken`. */
  #executeBehind(batch: readonly Waiting[], taken: Waiting[], failures: Failures) {
    const began = this.pace.mark()
    const until = began.now + stretchMs
    try {
      do {
        this.#executeApart(this.#behind[0] as Waiting, failures)
        taken.push(this.#behind.shift() as Waiting)
      } while (this.#behind.length > 0 && this.pace.now() < until)
      this.statements.of('commit').run()
    } finally {
      this.pace.spendSince(began, { shared: batch.length > 0 })
    }
  }

  /** Executes a unit. If it fails, it is undone alone. Throws if the whole store failed. */
  #executeApart(waiting: Waiting, failures: Failures) {
    const touched = this.#touched.length
    this.statements.of('savepoint unit').run()
    try {
      this.#executeUnits([waiting])
    } catch (error) {
      // the whole store failed, or SQLite ended the transaction: all units fail
      if (!isOfOneUnit(error) || !this.database.inTransaction) throw error
      this.statements.of('rollback to unit').run()
      this.#touched.length = touched
      failures.set(waiting, storeFailure(error))
    }
    this.statements.of('release unit').run()
  }

  /** Executes the units, and at the end what they share. */
  #executeUnits(batch: readonly Waiting[]) {
    const closing = new Closing()
    for (const { unit } of batch) for (const write of unit) if (!closing.takes(write)) this.#execute(write)
    for (const write of closing.writes()) this.#execute(write)
  }

  #execute({ sql, parameters, rows, refusal, once, committed }: Write) {
    const values = parameters as (string | number | null)[]
    const statement = this.statements.of(sql)
    // an array binds faster for many parameters, arguments for few
    const { changes } = values.length > fewParameters ? statement.run(values as never) : statement.run(...values)
    if (once !== undefined && committed && changes > 0) this.#touched.push(committed)
    if (rows !== undefined && changes !== rows) {
      if (refusal) throw refusal()
      throw new StaleWrite(`${changes} rows were touched instead of ${rows}: ${sql.slice(0, 80)}`)
    }
  }

  #waitForLock(batch: readonly Waiting[], error: unknown) {
    const now = performance.now()
    const patient: Waiting[] = []
    for (const waiting of batch) {
      waiting.lockedSince ??= now
      if (now - waiting.lockedSince < this.busyTimeoutMs) patient.push(waiting)
      else waiting.reject(storeFailure(error))
    }
    this.#waiting = [...patient, ...this.#waiting]
  }

  /** Commits the waiting units, rejects those that cannot be committed now, and accepts no more. */
  close() {
    this.#closed = true
    while (this.#waiting.length > 0 && this.#commitTogether(this.#next()));
    while (this.#behind.length > 0 && this.#commitTogether([], { ...together, behind: true }));
    const abandoned = [...this.#waiting, ...this.#behind.splice(0)]
    this.#waiting = []
    for (const { reject } of abandoned) reject(new StoreUnavailable('The store is closing.'))
  }
}
