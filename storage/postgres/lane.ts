/**
 * One of the connections that commit units of work. Units that arrive during a transaction share the next one, whose
 * statements are pipelined. If units fail, the transaction is retried without them, and each of them alone after it:
 * only then is its failure final, since one of the others may have been the cause. If the connection is lost at
 * `commit`, the lane asks the database for the outcome before it answers any caller.
 */
import type { ReservedSQL } from 'bun'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import type { WriterStatistics } from '../store.ts'
import { ask, type Connections, inTime } from './connections.ts'
import { touchedRows, UnitsFailed } from './failed-units.ts'
import { isConflict, isConnectionLost, storeFailure } from './failures.ts'
import { beginCommit } from './locks.ts'
import { Mark } from './mark.ts'
import type { MultiRows } from './multi-row.ts'
import type { Presence } from './presence.ts'
import { type Mixable, stepsOf, unknownTexts } from './steps.ts'

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
  /** The units that the lane has taken, in the order in which they are committed: each batch in a transaction. */
  #batches: Waiting[][] = []
  /** The number of times that the batches conflicted with another server. */
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
      this.#batches = [this.#waiting.splice(0, unitsPerTransaction)]
      this.#conflicts = 0
      for (let batch = this.#batches.shift(); batch; batch = this.#batches.shift()) {
        if (batch.length > 0) await this.#commitTogether(batch)
      }
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
    const onTime = (units: readonly Waiting[]) =>
      units.filter(({ until, reject }) => {
        if (until < now) reject(new StoreUnavailable('The store is too slow.'))
        return until >= now
      })
    this.#batches = this.#batches.map(onTime)
    this.#waiting = onTime(this.#waiting)
  }

  /** Commits the units, rejects them, or adds them to the batches again. */
  async #commitTogether(batch: Waiting[]): Promise<void> {
    this.#underWay = batch
    try {
      if (!this.parts.presence.isHeld) await this.parts.presence.hold()
      await this.#transact(batch)
    } catch (error) {
      if (error instanceof UnitsFailed) return this.#separate(batch, error)
      if (isConflict(error)) {
        this.#conflicts += 1
        if (this.#conflicts < triesMax) return void this.#batches.unshift(batch)
      }
      for (const { reject } of batch) reject(storeFailure(error))
      return
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
  }

  /**
   * Rejects a unit that failed alone. Of several, each failed one goes alone at last; before them the units of other
   * organizations, which pay for no further failure, and the others of the same ones.
   */
  #separate(batch: readonly Waiting[], { failures, suspects, abortedAt = batch.length }: UnitsFailed) {
    if (batch.length === 1) return batch[0]?.reject(failures.get(0))
    for (const place of suspects) (batch[place] as Waiting).isAlone = true
    const atFault = new Set([...failures.keys(), ...suspects].map((place) => batch[place]?.organizationId))
    const [elsewhere, before, behind]: [Waiting[], Waiting[], Waiting[]] = [[], [], []]
    for (const [place, waiting] of batch.entries()) {
      if (failures.has(place)) this.#batches.push([waiting])
      else if (!atFault.has(waiting.organizationId)) elsewhere.push(waiting)
      else (place < abortedAt ? before : behind).push(waiting)
    }
    this.#batches.unshift(elsewhere, before, behind)
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
   * Sends all statements without waiting in between. Returns the transaction's id. Throws `UnitsFailed`.
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
    const touched = touchedRows(steps, results.slice(first.length) as PromiseSettledResult<{ touched: number }>[])
    this.#touched = steps.flatMap(({ once }, at) => (once?.committed && touched[at] ? [once.committed] : []))
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
