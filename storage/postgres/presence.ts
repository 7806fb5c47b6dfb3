/**
 * Marks the store as open with an advisory lock on a connection, so that the lock is released as soon as the server is
 * gone. Servers that share a Redis share the lock; a server without Redis holds it exclusively, because two such
 * servers would each believe that they own every lease. A second lock identifies the server: if it is free, and the
 * server has sent no heartbeat for a while, the server is dead.
 */
import type { ReservedSQL } from 'bun'
import { StoreUnavailable } from '../errors.ts'
import { ask, type Connections, inTime } from './connections.ts'
import { storeFailure } from './failures.ts'
import { tryToBeMember, tryToBePresent } from './locks.ts'

const patienceMs = 1_000
const askAgainMs = 100

/** `guest`, used by the command line, takes no lock and is always admitted. */
export type PresenceKind = 'alone' | 'beside' | 'guest'

const inUse = {
  guest: '',
  alone: 'it is in use by another server; several servers need REDIS_URL, each of them the same.',
  beside: 'it is in use by a server without REDIS_URL; several servers need it, each of them the same.',
}

export class Presence {
  #own: Connections | undefined
  #connection: ReservedSQL | undefined
  #taking: Promise<void> | undefined
  #member: string | undefined

  constructor(
    private readonly connections: Connections,
    readonly kind: PresenceKind,
  ) {}

  get isHeld(): boolean {
    return this.kind === 'guest' || this.#connection !== undefined
  }

  /**
   * Makes sure that this server is marked as present. Throws `StoreUnavailable`, also if the lock of another server
   * excludes it.
   */
  hold(): Promise<void> {
    this.#taking ??= this.#hold().finally(() => {
      this.#taking = undefined
    })
    return this.#taking
  }

  /** Sets the server's id, and marks the server as present under it. Throws `StoreUnavailable`. */
  async be(member: string): Promise<void> {
    this.#member = member
    await this.hold()
    const connection = this.#connection
    try {
      if (connection) await isMine(connection, tryToBeMember, [member])
    } catch (error) {
      throw storeFailure(error)
    }
  }

  async #hold() {
    if (this.kind === 'guest') return
    if (this.#connection) {
      const isAlive = await inTime(ask(this.#connection, 'select 1')).then(
        () => true,
        () => false,
      )
      if (isAlive) return
      await this.end()
    }
    const own = this.connections.alone(() => {
      // others cannot see this server until it has a new connection
      if (this.#own === own) this.#connection = undefined
    })
    this.#own = own
    try {
      const connection = await own.reserve()
      // the database may not have noticed the end of the previous connection yet
      for (const until = performance.now() + patienceMs; !(await this.#take(connection)); await Bun.sleep(askAgainMs))
        if (performance.now() >= until) throw new StoreUnavailable(inUse[this.kind])
      this.#connection = connection
    } catch (error) {
      await this.end()
      throw storeFailure(error)
    }
  }

  async #take(connection: ReservedSQL): Promise<boolean> {
    if (!(await isMine(connection, tryToBePresent(this.kind === 'alone')))) return false
    return this.#member === undefined || isMine(connection, tryToBeMember, [this.#member])
  }

  async end() {
    const own = this.#own
    this.#connection = undefined
    this.#own = undefined
    await own?.close({ timeout: 0 }).catch(() => {})
  }
}

const isMine = async (connection: ReservedSQL, sql: string, parameters?: string[]): Promise<boolean> =>
  (await inTime(ask<{ is_mine: number }>(connection, sql, parameters))).rows[0]?.is_mine === 1
