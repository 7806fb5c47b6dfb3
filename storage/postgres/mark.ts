/**
 * Finds the outcome of a transaction whose reply was lost. The database reports by transaction id whether it is still
 * in progress. Whether it was committed is read from a row that each transaction of the connection writes, because
 * after a crash the database may reuse the id of a transaction that it has lost.
 */
import type { ReservedSQL } from 'bun'
import { OutcomeUnknown } from '../errors.ts'
import { ask, type Connections, inTime } from './connections.ts'

/** How long to ask for the outcome of a transaction. */
const resolveMs = 5_000
const askAgainMs = 100
/** A mark may be deleted once its connection has been idle for this long. */
const forgottenDays = 7

const forget = `delete from commit_marks where at < now() - interval '${forgottenDays} days'`
const remove = 'delete from commit_marks where id = $1'
const look = 'select mark from commit_marks where id = $1'
/** An id that the database has not assigned yet belongs to a transaction that was lost in a crash. */
const askStatus = `select case when cast($1 as xid8) < pg_snapshot_xmax(pg_current_snapshot())
  then pg_xact_status(cast($1 as xid8)) else 'aborted' end as status`

export class Mark {
  readonly #id = Bun.randomUUIDv7()
  #mark = 0

  constructor(private readonly connections: Connections) {}

  /** Deletes old rows, for a new connection. Throws PostgreSQL's errors. */
  async prepare(connection: ReservedSQL): Promise<void> {
    await inTime(ask(connection, forget))
  }

  /** The id and the value of the row for the next transaction, which writes it. */
  next(): readonly [id: string, mark: number] {
    this.#mark += 1
    return [this.#id, this.#mark]
  }

  /**
   * Whether the last transaction, which has this id, was committed. Throws `OutcomeUnknown` if that cannot be found out
   * in time.
   */
  async wasCommitted(id: string): Promise<boolean> {
    const until = performance.now() + resolveMs
    for (;;) {
      const found = await this.#look(id).catch(() => undefined)
      if (found !== undefined && found !== 'in progress') return found === this.#mark
      if (performance.now() > until)
        throw new OutcomeUnknown('The store was lost at a commit; it is not known whether it was made.')
      await Bun.sleep(askAgainMs)
    }
  }

  /** Reads the mark once the transaction has ended. */
  async #look(id: string): Promise<number | 'in progress'> {
    const { rows: asked } = await this.connections.ask<{ status: string | null }>(askStatus, [id])
    if (asked[0]?.status === 'in progress') return 'in progress'
    const { rows } = await this.connections.ask<{ mark: number }>(look, [this.#id])
    return rows[0]?.mark ?? Number.NaN
  }

  async remove(connection: ReservedSQL): Promise<void> {
    await inTime(ask(connection, remove, [this.#id])).catch(() => {})
  }
}
