/** A small kind of actor with its own table, in a real SQLite file. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyEventObject, type AnyStateMachine, assign, setup } from 'xstate'
import { effect } from '../../../machines/words.ts'
import { Actors, type ActorsOptions, type Outcome } from '../../../src/runtime/actors.ts'
import type { ActorKind, Change, Effect } from '../../../src/runtime/kind.ts'
import { movesOf } from '../../../storage/runtime/journal.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { StoredMoves } from '../../../storage/tables.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { ManualClock } from './clock.ts'

export interface LampContext {
  count: number
  said: string[]
}

type Event = AnyEventObject & { at: number; word?: string }

/** A lamp that is switched on and off; while on, it goes off by itself after a minute, and blinks every ten seconds. */
const lampMachine = setup({
  types: { context: {} as LampContext, events: {} as Event, input: {} as { count?: number } },
  guards: { even: ({ context }) => context.count % 2 === 0 },
  actions: {
    count: assign(({ context }) => ({ count: context.count + 1 })),
    keep: assign(({ context, event }) => ({ said: [...context.said, event.word ?? ''] })),
    glow: effect,
    announce: (_, _params: { count: number }) => {},
  },
}).createMachine({
  id: 'lamp',
  version: '3',
  meta: { creations: { make: {} } },
  context: ({ input }) => ({ count: input.count ?? 0, said: [] }),
  initial: 'off',
  states: {
    off: {
      on: {
        switch: { target: 'on', actions: 'count' },
        count: { actions: 'count' },
        say: { actions: 'keep' },
        // The same state and context, but an effect.
        ring: { actions: { type: 'announce', params: ({ context }) => ({ count: context.count }) } },
        nudge: { target: 'off' },
        ifEven: { target: 'on', guard: 'even' },
      },
      meta: { refuses: { smash: { status: 400, code: 'empty_input', message: 'A lamp is not for smashing.' } } },
    },
    on: {
      entry: ['glow', { type: 'announce', params: ({ context }) => ({ count: context.count }) }],
      on: { switch: 'off', again: { target: 'on', reenter: true }, count: { actions: 'count' } },
      after: { 10000: { actions: 'count' }, 60000: { target: 'off' } },
    },
    pulsing: { entry: 'count', on: { switch: 'off' }, after: { 1000: { target: 'pulsing', reenter: true } } },
  },
})

export interface LampRow {
  id: string
  state: string
  version: number
  machine_version: string
  context: string
  owner: string
  /** The owner, as the runtime knows it. */
  organization_id: string
}

const text = {
  insert: 'insert into lamps (id, state, version, machine_version, context, owner) values (?, ?, ?, ?, ?, ?)',
  update: 'update lamps set state = ?, version = ?, machine_version = ?, context = ? where id = ? and version = ?',
}

type LampKind = ActorKind<LampRow, LampContext, Event>

export interface LampOptions {
  machine?: AnyStateMachine
  effects?: Record<string, Effect>
  migrations?: LampKind['migrations']
  renew?: LampKind['renew']
  apply?: (change: Change<LampRow, LampContext, Event>) => void | Promise<void>
}

export function lampKind({
  machine = lampMachine,
  effects = {},
  migrations,
  renew,
  apply,
}: LampOptions = {}): LampKind {
  const kind: LampKind = {
    kind: 'lamp',
    machine,
    load: (store, id) =>
      store.first<LampRow>({ sql: 'select *, owner as organization_id from lamps where id = ?', parameters: [id] }),
    snapshot: (row) => ({
      state: row.state,
      version: row.version,
      machineVersion: row.machine_version,
      context: row.context,
    }),
    describe: (context, event) => ({
      attempt: context.count,
      reason: event.word ? { code: 'said', message: event.word } : null,
    }),
    apply(change) {
      const done = apply?.(change)
      const { address, before, state, version } = change
      const owner = before?.row.owner ?? (change.seed as { owner: string }).owner
      const row: LampRow = {
        id: address.id,
        state,
        version,
        machine_version: machine.version ?? '1',
        context: JSON.stringify(change.context),
        owner,
        organization_id: owner,
      }
      const write: Write = before
        ? {
            sql: text.update,
            parameters: [state, version, row.machine_version, row.context, row.id, before.version],
            rows: 1,
          }
        : { sql: text.insert, parameters: [row.id, state, version, row.machine_version, row.context, row.owner] }
      const applied = { row, writes: [write], news: change.moves.length }
      return done ? done.then(() => applied) : applied
    },
    effects: { glow: 'inCommit', announce: { hint: () => {} }, ...effects },
  }
  if (migrations) kind.migrations = migrations
  if (renew) kind.renew = renew
  return kind
}

export async function openLampStore(path: string): Promise<Store> {
  const store = await openMigrated(`sqlite:${path}`)
  const sql = `create table if not exists lamps (id text primary key, state text not null, version integer not null,
    machine_version text not null, context text not null, owner text not null)`
  await store.commit([{ sql, parameters: [] }])
  return store
}

/** A store in its own folder, and any number of actor systems on it. */
export async function openHouse() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lamps-'))
  const path = join(folder, 'troupe.db')
  let store = await openLampStore(path)
  const running: Actors[] = []
  const stop = async () => {
    for (const actors of running.splice(0)) await actors.stop()
  }
  const house = {
    path,
    clock: new ManualClock(),
    errors: [] as { error: unknown; what: string }[],
    get store() {
      return store
    },
    actors(options: LampOptions = {}, more: Partial<ActorsOptions> = {}): Actors {
      const actors = new Actors({
        store,
        clock: house.clock,
        kinds: [lampKind(options)],
        random: () => 0.5,
        onError: (error, what) => house.errors.push({ error, what }),
        ...more,
      })
      running.push(actors)
      return actors
    },
    /** As after a crash of the process: nothing in memory is left. */
    async restart() {
      await stop()
      await store.close()
      store = await openLampStore(path)
    },
    row: (id: string) => store.first<LampRow>({ sql: 'select * from lamps where id = ?', parameters: [id] }),
    timers: (id: string) =>
      store.all<{ name: string; due_at: number }>({
        sql: 'select name, due_at from timers where actor_id = ? order by name',
        parameters: [id],
      }),
    effects: () =>
      store.all<{ id: string; name: string; attempts: number }>({ sql: 'select * from effects', parameters: [] }),
    journal: async (id: string): Promise<Record<string, unknown>[]> => {
      const sql = 'select * from transitions where actor_id = ? order by sequence'
      return movesOf(await store.all<StoredMoves>({ sql, parameters: [id] })).map((move) => ({ ...move }))
    },
    /** Runs SQL behind the runtime's back. */
    tamper: (sql: string, ...parameters: unknown[]) => store.commit([{ sql, parameters }]),
    async close() {
      await stop()
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
  return house
}
export type House = Awaited<ReturnType<typeof openHouse>>

export const lamp = (id: string) => ({ kind: 'lamp', id })
export const made = { named: 'make', input: {}, seed: { owner: 'me' } }
export const contextOf = (outcome: Outcome) => outcome.actor.context as unknown as LampContext
