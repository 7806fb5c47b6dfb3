/**
 * Says that a server has the store open, by a lock of the database as long as its connection lives, so that it is free as
 * soon as the server is gone. Servers that can hear each other share it; one that cannot has it for itself, for two of them
 * would each believe to own every lease.
 */
import type { ReservedSQL } from 'bun'
import { StoreUnavailable } from '../errors.ts'
import { ask, type Connections, inTime } from './connections.ts'
import { storeFailure } from './failures.ts'
import { tryToBePresent } from './locks.ts'

const patienceMs = 1_000
const askAgainMs = 100

/** `guest`: one that does not announce itself, like the command line, and is always admitted. */
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

  constructor(
    private readonly connections: Connections,
    readonly kind: PresenceKind,
  ) {}

  get isHeld(): boolean {
    return this.kind === 'guest' || this.#connection !== undefined
  }

  /** Makes sure that this server is present. Throws `StoreUnavailable`, also while another server keeps it out. */
  hold(): Promise<void> {
    this.#taking ??= this.#hold().finally(() => {
      this.#taking = undefined
    })
    return this.#taking
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
    this.#own = this.connections.alone()
    try {
      const connection = await this.#own.reserve()
      // the connection before may not have ended yet for the database
      for (const until = performance.now() + patienceMs; !(await this.#take(connection)); await Bun.sleep(askAgainMs))
        if (performance.now() >= until) throw new StoreUnavailable(inUse[this.kind])
      this.#connection = connection
    } catch (error) {
      await this.end()
      throw storeFailure(error)
    }
  }

  async #take(connection: ReservedSQL): Promise<boolean> {
    const { rows } = await inTime(ask<{ is_mine: number }>(connection, tryToBePresent(this.kind === 'alone')))
    return rows[0]?.is_mine === 1
  }

  async end() {
    this.#connection = undefined
    await this.#own?.close({ timeout: 0 }).catch(() => {})
    this.#own = undefined
  }
}
