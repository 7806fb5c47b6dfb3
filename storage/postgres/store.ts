/** The store for several machines: a PostgreSQL database. */
import { Kysely } from 'kysely'
import { StoreRefused, StoreUnavailable } from '../errors.ts'
import { Pace } from '../pace.ts'
import type { BackgroundStore, CommitScope, Query, Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import { Connections } from './connections.ts'
import { postgresDialect } from './dialect.ts'
import { isRefusal } from './failures.ts'
import { Membership } from './membership.ts'
import { Presence, type PresenceKind } from './presence.ts'
import { PostgresWriter } from './writer.ts'

/** PostgreSQL 14. */
const versionMin = 140_000
/** How long the start waits for an unavailable database. */
const patienceMs = 30_000
const askAgainMs = 500

/** Host, port and name of the database; never the password. */
function shown(address: string): string {
  const { hostname, port, pathname } = new URL(address)
  return `postgres://${hostname}:${port || 5432}${pathname}`
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

/** Throws `StoreRefused` if retrying is pointless, else `StoreUnavailable`. */
async function connect(address: string, kind: PresenceKind): Promise<Store> {
  const connections = new Connections(address)
  const presence = new Presence(connections, kind)
  const store = new PostgresStore(connections, presence)
  try {
    const { rows } = await connections.ask<{ version: number }>(
      "select cast(current_setting('server_version_num') as integer) as version",
      [],
    )
    const { version = 0 } = rows[0] ?? {}
    if (version < versionMin) {
      const found = `PostgreSQL ${Math.floor(version / 10_000)}`
      throw new StoreRefused(`The store ${shown(address)} is ${found}; version 14 or later is required.`)
    }
    await presence.hold()
    return store
  } catch (error) {
    await store.close()
    const { cause } = error as Error
    if (error instanceof StoreRefused || (error instanceof StoreUnavailable && !isRefusal(cause))) throw error
    const reason = ((isRefusal(cause) ? cause : error) as Error).message
    throw new StoreRefused(`The store ${shown(address)} cannot be opened: ${reason}`, { cause: error })
  }
}

/**
 * Connects. Retries for `waitMs` while the database is unavailable, or in use by a server that is stopping. Throws
 * `StoreRefused`.
 */
export async function openPostgres(
  address: string,
  { kind = 'alone', waitMs = patienceMs }: { kind?: PresenceKind; waitMs?: number } = {},
): Promise<Store> {
  if (!URL.canParse(address))
    throw new StoreRefused('The store is not a valid address; use postgres://USER:PASSWORD@HOST:PORT/DATABASE.')
  const { hostname, pathname } = new URL(address)
  if (hostname === '' || pathname.length < 2 || /\.(?:db|sqlite3?)$/.test(pathname))
    throw new StoreRefused(
      `The store ${shown(address)} names no host and database; use postgres://USER:PASSWORD@HOST:PORT/DATABASE, or sqlite:PATH for a file.`,
    )
  const until = performance.now() + waitMs
  for (;;) {
    try {
      return await connect(address, kind)
    } catch (error) {
      if (error instanceof StoreRefused) throw error
      if (performance.now() >= until)
        throw new StoreRefused(`The store ${shown(address)} cannot be opened: ${reasonOf(error)}`, { cause: error })
      await Bun.sleep(askAgainMs)
    }
  }
}

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly db: Kysely<Tables>
  readonly background: BackgroundStore
  readonly membership: Membership
  /** Background work uses the database, whose own time is unknown here. */
  readonly #pace = new Pace({ used: () => performance.now() })
  readonly #writer: PostgresWriter
  #closed = false

  constructor(
    private readonly connections: Connections,
    private readonly presence: Presence,
  ) {
    this.db = new Kysely<Tables>({ dialect: postgresDialect(connections) })
    this.membership = new Membership(connections, presence)
    this.#writer = new PostgresWriter(connections, presence)
    this.background = {
      db: this.db,
      first: (query) => this.#pace.turn(() => this.first(query)),
      all: (query) => this.#pace.turn(() => this.all(query)),
      commit: (unit, scope) => this.#pace.turn(() => this.commit(unit, scope)),
      turn: (work) => this.#pace.turn(work),
    }
  }

  get statistics() {
    return this.#writer.statistics
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0]
  }

  async all<Row>({ sql, parameters }: Query<Row>): Promise<Row[]> {
    if (this.#closed) throw new StoreUnavailable('The store is closed.')
    return (await this.connections.ask<Row>(sql, parameters)).rows
  }

  commit(unit: readonly Write[], scope?: CommitScope): Promise<void> {
    return this.#writer.commit(unit, scope)
  }

  /** Nothing to do: PostgreSQL stores texts of any length in their rows. */
  async sweepTexts(): Promise<number> {
    return 0
  }

  async ping() {
    await this.first({ sql: 'select 1', parameters: [] })
  }

  async close() {
    this.#closed = true
    this.#pace.end()
    await this.#writer.close()
    await this.presence.end()
    await this.db.destroy()
    await this.connections.close()
  }
}
