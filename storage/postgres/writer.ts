/**
 * The group-commit writer for PostgreSQL: four lanes, each with its own connection, and one more for units of work that
 * exclude all other commits. All units of an organization go through the same lane, in order of arrival.
 */
import { StoreUnavailable } from '../errors.ts'
import { type CommitScope, everybody, type Write, type WriterStatistics } from '../store.ts'
import type { Connections } from './connections.ts'
import { Lane } from './lane.ts'
import { MultiRows } from './multi-row.ts'
import type { Presence } from './presence.ts'

const laneCount = 4
/** Each unit is answered within this time. */
const answerMs = 18_000

export class PostgresWriter {
  readonly statistics: WriterStatistics = { transactions: 0, units: 0, unitsMax: 0 }
  readonly #lanes: readonly Lane[]
  readonly #laneForAll: Lane
  #turn = 0
  #closed = false

  constructor(connections: Connections, presence: Presence) {
    const parts = { connections, presence, statistics: this.statistics, multiRows: new MultiRows() }
    const lane = (isForAll: boolean) => new Lane({ ...parts, isForAll })
    this.#lanes = Array.from({ length: laneCount }, () => lane(false))
    this.#laneForAll = lane(true)
  }

  /** Resolves when the unit is durable. */
  commit(unit: readonly Write[], scope: CommitScope = scopeOf(unit)): Promise<void> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    return new Promise((resolve, reject) => {
      const until = performance.now() + answerMs
      this.#laneOf(scope).put({ unit, organizationId: scope ?? null, until, resolve, reject })
    })
  }

  #laneOf(scope: CommitScope): Lane {
    if (scope === undefined) return this.#laneForAll
    if (scope === null) this.#turn += 1
    const place = scope === null ? this.#turn : Number(BigInt(Bun.hash(scope)) & 0xffffn)
    return this.#lanes[place % laneCount] as Lane
  }

  /** Commits the waiting units and accepts no more. */
  async close() {
    this.#closed = true
    await Promise.all([...this.#lanes, this.#laneForAll].map((lane) => lane.close()))
  }
}

/** The organization that its statements name; undefined if they name none, or one concerns `everybody`. */
function scopeOf(unit: readonly Write[]): CommitScope {
  let scope: CommitScope
  for (const { of } of unit) {
    if (of === everybody) return undefined
    scope ??= of
  }
  return scope
}
