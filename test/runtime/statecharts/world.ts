/** A server with tickets: the real app and runtime over a real SQLite file. */
import { spyOn } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { charts } from '../../../machines/charts/all.ts'
import { invalidApiKey, unauthenticated } from '../../../src/platform/http/answers/errors.ts'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import { createGuarded } from '../../../src/platform/http/guard/guarded.ts'
import { noRegister } from '../../../src/platform/http/guard/open-stream.ts'
import type { Permission } from '../../../src/platform/http/guard/permissions.ts'
import { MinuteLimiter, simulations } from '../../../src/platform/limits/minute-limiter.ts'
import { HttpLatency } from '../../../src/platform/operating/latency.ts'
import { Lifecycle } from '../../../src/platform/operating/lifecycle.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import type { EmbeddingParts } from '../../../src/runtime/statecharts/embedding/routes.ts'
import { EmbedTickets } from '../../../src/runtime/statecharts/embedding/tickets.ts'
import { Watch } from '../../../src/runtime/statecharts/live/watch.ts'
import { statechartRoutes } from '../../../src/runtime/statecharts/routes.ts'
import { createApp } from '../../../src/server/app.ts'
import { authenticatorOf, callerWith } from '../../support/callers.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { HandClock } from './clock.ts'
import { createTickets, type TicketEvent, ticketChart, ticketKind } from './ticket.ts'

const callerOf = (organizationId: string, permissions: Permission[]): Caller =>
  callerWith({ organizationId, permissions: new Set(permissions) })

const callers: Record<string, Caller> = {
  'Bearer reader': callerOf('org_a', ['agent-jobs:get']),
  'Bearer foreigner': callerOf('org_b', ['agent-jobs:get']),
  'Bearer powerless': callerOf('org_a', ['agent-runs:get']),
}

export async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'statecharts-'))
  const store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  await store.commit([createTickets])
  const clock = new HandClock()
  const actors = new Actors({ store, clock, kinds: [ticketKind], random: () => 0.5 })
  const errors: string[] = []
  const onError = (error: unknown, what: string) => void errors.push(`${what}: ${error}`)
  const parts = { actors, store, clock, onError }
  /** Whose credential has been revoked. */
  const over = new Set<string>()
  const embedding: Omit<EmbeddingParts, 'guarded' | 'clock'> = {
    embedTickets: new EmbedTickets({ clock, key: new Uint8Array(32).fill(7) }),
    callerNow: async ({ credentialId }) =>
      Object.values(callers).find((caller) => caller.credentialId === credentialId && !over.has(credentialId)),
    streams: noRegister,
    consoleUrl: () => 'http://console.example',
  }
  const lifecycle = new Lifecycle()
  const guarded = createGuarded({
    lifecycle,
    authenticator: authenticatorOf((authorization) => {
      if (authorization === null) throw unauthenticated()
      const caller = callers[authorization]
      if (!caller) throw invalidApiKey()
      return caller
    }),
  })
  const app = createApp({
    guarded,
    logger: createLogger('silent'),
    latency: new HttpLatency(),
    clock,
    lifecycle,
    registry: new Registry(),
    checks: {},
    publicUrl: 'http://localhost',
    version: '0.0.0',
    areas: [
      statechartRoutes({
        ...parts,
        ...embedding,
        kinds: [ticketKind],
        guarded,
        charts: [...charts, ticketChart],
        addressOf: () => undefined,
        simulationLimiter: new MinuteLimiter(simulations, false),
      }),
    ],
  })
  app.listen({ port: 0, hostname: '127.0.0.1' })
  const url = `http://127.0.0.1:${app.server?.port}`
  let count = 0

  return {
    url,
    store,
    clock,
    actors,
    /** The tickets as seen by the routes, for tests without HTTP. */
    watch: new Watch(ticketKind, { ...parts }),
    /** Errors during a stream. */
    errors,
    tickets: embedding.embedTickets,
    /** Revokes the reader's credential, or restores it. */
    endReader(isOver: boolean) {
      const { credentialId } = callers['Bearer reader'] as Caller
      if (isOver) over.add(credentialId)
      else over.delete(credentialId)
    },
    /** Creates a ticket of `org_a`, sends it these events, and returns its id. */
    async ticket(...events: TicketEvent[]): Promise<string> {
      count += 1
      const id = `ticket-${count}`
      const given = { input: { secret: 'do not tell' }, seed: { organization: 'org_a' }, named: 'create' }
      await actors.create({ kind: 'ticket', id }, given, { by: { type: 'user', id: 'usr_1' } })
      for (const event of events) await this.send(id, event)
      return id
    },
    send: (id: string, event: TicketEvent) =>
      actors.send({ kind: 'ticket', id }, event, { by: { type: 'user', id: 'usr_1' } }),
    /** Runs SQL behind the server's back. */
    tamper: (sql: string, ...parameters: unknown[]) => store.commit([{ sql, parameters }]),
    get: (path: string, key = 'reader', headers: Record<string, string> = {}) =>
      fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } }),
    post: (path: string, body: string, key = 'reader') =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      }),
    /** Until it is disposed of, this happens once, after the next query of a table. */
    afterNextLookAt(table: string, happen: () => Promise<unknown>) {
      const all = store.all.bind(store)
      let happened = false
      return spyOn(store, 'all').mockImplementation(async (query) => {
        const rows = await all(query)
        if (!happened && query.sql.includes(`from "${table}"`)) {
          happened = true
          await happen()
        }
        return rows as never
      })
    },
    async close() {
      await app.stop(true)
      await actors.stop()
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Events that lead a new ticket to `open`: transitions 2 and 3. */
export const toOpen: TicketEvent[] = [{ type: 'submit' }, { type: 'approve', tags: ['ready'] }]
export const close: TicketEvent = { type: 'close', answer: { code: 7 } }

export const pathOf = (id: string, more = '') => `/api/v1/actors/ticket/${id}${more}`
export const dataOf = async (response: Response) => ((await response.json()) as { data: Record<string, unknown> }).data
