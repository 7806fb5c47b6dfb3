/**
 * The servers of a store, and the slots of work that each server owns. Leases and heartbeats are timed by the
 * database's clock, so the servers' clocks do not matter.
 */
import { StoreRefused } from '../errors.ts'
import { slotCount } from '../slots.ts'
import { type Answer, ask, type Connections, inTime, type Parameters } from './connections.ts'
import { storeFailure } from './failures.ts'
import { isMemberThere, lockMembership } from './locks.ts'
import type { Presence } from './presence.ts'

/** A server without a heartbeat for this long is dead. */
export const deadAfterMs = 15_000
/**
 * A server without a heartbeat for this long is dead, too, if its database connection is also gone: its process has
 * ended.
 */
export const goneAfterMs = 6_000

const now = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)'

export interface Joining {
  id: string
  version: string
  /** Null: not set. */
  publicUrl: string | null
  /** Fingerprints of its master keys. */
  masterKeys: readonly string[]
  /** The time by the server's own clock, read as its row is written: a heartbeat may have waited for others. */
  clockAt: () => number
  /** Whether it takes slots; false for a server that is about to leave. */
  serves: boolean
}

export interface MemberRow {
  id: string
  version: string
  started_at: number
  beat_at: number
  /** How far the server's clock was ahead of the database's at its last heartbeat. */
  skew_ms: number
  /** A JSON array, ascending. */
  slots: string
  /** A JSON array of fingerprints; null: a server of an earlier version, which does not name them. */
  master_keys: string | null
}

/** The result of a heartbeat. */
export interface Beat {
  members: MemberRow[]
  /** Its own slots, ascending. */
  slots: number[]
  /** Whether it should send the next heartbeat soon, because others are about to give it slots. */
  isShort: boolean
  /** The time by the database's clock. */
  at: number
}

const statements = {
  // a server that was away itself, or whose database has just started, gives the others time to reconnect
  forget: `delete from processes where id <> $1 and (beat_at < ${now} - ${deadAfterMs}
    or holds_lock = 1 and beat_at < ${now} - ${goneAfterMs} and not ${isMemberThere('processes.id')}
      and exists (select 1 from processes as own where own.id = $1 and own.beat_at >= ${now} - ${2 * goneAfterMs})
      and pg_postmaster_start_time() < clock_timestamp() - interval '${2 * goneAfterMs} ms')`,
  others: 'select public_url from processes where id <> $1 order by started_at, id limit 1',
  live: `insert into processes (id, version, public_url, started_at, beat_at, clock_at, serves, holds_lock, master_keys)
    values ($1, $2, $3, ${now}, ${now}, $4, $5, 1, $6)
    on conflict (id) do update set beat_at = excluded.beat_at, clock_at = excluded.clock_at, serves = excluded.serves`,
  count: 'select count(*) as count from processes where serves = 1',
  renew: `update slots set until = ${now} + ${deadAfterMs} where owner = $1`,
  giveBack: `update slots set owner = null where slot in
    (select slot from slots where owner = $1 order by slot desc offset $2)`,
  take: `update slots set owner = $1, epoch = epoch + 1, until = ${now} + ${deadAfterMs} where slot in
    (select slot from slots where owner is null or until < ${now}
        or not exists (select 1 from processes where id = owner)
      order by slot limit greatest(0, $2 - (select count(*) from slots where owner = $1)) for update skip locked)`,
  list: `select id, version, started_at, beat_at, clock_at - beat_at as skew_ms, master_keys,
      (select coalesce(cast(json_agg(slot order by slot) as text), '[]') from slots where owner = processes.id) as slots
    from processes where beat_at >= ${now} - ${deadAfterMs} order by started_at, id`,
  at: `select ${now} as at`,
  leave: 'update slots set owner = null, until = 0 where owner = $1',
  leaveRow: 'delete from processes where id = $1',
  name: 'select name from store_identity where id = 1',
}

export class Membership {
  constructor(
    private readonly connections: Connections,
    private readonly presence: Presence,
  ) {}

  /** Whether this server is marked as present in the database, as of the last check. */
  get isPresent(): boolean {
    return this.presence.isHeld
  }

  /** The store's name, the same for all of its servers. Throws `StoreUnavailable`. */
  async nameOfStore(): Promise<string> {
    const { rows } = await this.connections.ask<{ name: string }>(statements.name, [])
    return rows[0]?.name ?? ''
  }

  /**
   * Joins the other servers, which are given to `assertBeside`: of two that join at once, the second sees the first.
   * Throws `StoreRefused` if this server cannot serve together with them, what `assertBeside` throws, and
   * `StoreUnavailable`.
   */
  async join(joining: Joining, assertBeside: (others: readonly MemberRow[]) => void): Promise<Beat> {
    // its exclusive lock proves that no other server is alive
    if (this.presence.kind === 'alone') {
      await this.connections.ask('delete from processes where id <> $1', [joining.id])
    }
    await this.presence.be(joining.id)
    return this.#beat(joining, async (run) => {
      const [other] = (await run<{ public_url: string | null }>(statements.others, [joining.id])).rows
      if (other) assertOneUrl(joining.publicUrl, other.public_url)
      assertBeside((await run<MemberRow>(statements.list)).rows.filter(({ id }) => id !== joining.id))
    })
  }

  /**
   * Sends a heartbeat: renews the slots, and takes some or gives some back, so that all servers have about the same
   * number.
   */
  async beat(joining: Joining): Promise<Beat> {
    await this.presence.hold()
    return this.#beat(joining, async () => {})
  }

  async #beat(
    { id, version, publicUrl, masterKeys, clockAt, serves }: Joining,
    assert: (run: Run) => Promise<void>,
  ): Promise<Beat> {
    return this.#transaction(async (run) => {
      await run(lockMembership)
      await run(statements.forget, [id])
      await assert(run)
      await run(statements.live, [id, version, publicUrl, clockAt(), Number(serves), JSON.stringify(masterKeys)])
      const [{ count } = { count: 1 }] = (await run<{ count: number }>(statements.count)).rows
      const share = serves ? Math.ceil(slotCount / count) : 0
      await run(statements.renew, [id])
      await run(statements.giveBack, [id, share])
      await run(statements.take, [id, share])
      const members = (await run<MemberRow>(statements.list)).rows
      const [{ at } = { at: 0 }] = (await run<{ at: number }>(statements.at)).rows
      const slots: number[] = JSON.parse(members.find((member) => member.id === id)?.slots ?? '[]')
      return { members, slots, isShort: serves && slots.length < Math.floor(slotCount / count), at }
    })
  }

  /** The living servers, oldest first. Throws `StoreUnavailable`. */
  async list(): Promise<MemberRow[]> {
    return (await this.connections.ask<MemberRow>(statements.list, [])).rows
  }

  /** Leaves: releases all slots and removes the row. Throws `StoreUnavailable`. */
  async leave(id: string): Promise<void> {
    await this.#transaction(async (run) => {
      await run(lockMembership)
      await run(statements.leave, [id])
      await run(statements.leaveRow, [id])
    })
  }

  async #transaction<Value>(work: (run: Run) => Promise<Value>): Promise<Value> {
    const connection = await this.connections.reserve()
    const run: Run = (sql, parameters = []) => inTime(ask(connection, sql, parameters))
    try {
      await run('begin')
      const value = await work(run)
      await run('commit')
      connection.release()
      return value
    } catch (error) {
      // close a connection that does not answer: it must not be reused in the middle of a transaction
      await run('rollback').then(
        () => connection.release(),
        () => connection.close({ timeout: 0 }),
      )
      throw storeFailure(error)
    }
  }
}

type Run = <Found>(sql: string, parameters?: Parameters) => Promise<Answer<Found>>

/** All servers must have the same public URL: OAuth redirects and links in mails use it. */
function assertOneUrl(own: string | null, other: string | null) {
  if (own === null) throw new StoreRefused('TROUPE_PUBLIC_URL: is required if several servers share a store.')
  if (other === null) {
    throw new StoreRefused(
      'TROUPE_PUBLIC_URL: another server of this store has none; restart it with the same value as here.',
    )
  }
  if (own !== other) {
    throw new StoreRefused(`TROUPE_PUBLIC_URL: must be ${other}, as on the other servers of this store.`)
  }
}
