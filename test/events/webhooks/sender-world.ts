/** A store with Environments and webhooks, and the parts that deliver, without a server. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deliveryLimits } from '../../../machines/delivery.ts'
import { type Recoverable, type RecoveryContext, recoverables } from '../../../machines/webhook-recovery.ts'
import { deliveryKind } from '../../../src/events/deliveries/actor.ts'
import { FanOut, type FanOutParts } from '../../../src/events/deliveries/fan-out.ts'
import { recordEvent } from '../../../src/events/history/record.ts'
import { recoveryAddress } from '../../../src/events/webhooks/recoveries/actor.ts'
import { RecoveryWork } from '../../../src/events/webhooks/recoveries/recovery-work.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { system } from '../../../src/runtime/kind.ts'
import { allWork } from '../../../src/runtime/work-share.ts'
import { getHead, insertPointer, subscribe } from '../../../storage/events/webhook-fan-out.ts'
import { getRecovery } from '../../../storage/events/webhook-recoveries.ts'
import { newId } from '../../../storage/ids.ts'
import type { Query, Store, Write } from '../../../storage/store.ts'
import type { WebhookRow } from '../../../storage/tables.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

/** The store with hooks before and after each commit; an exception before a commit fails it. */
export class Meddled implements Store {
  beforeCommit: (unit: readonly Write[]) => Promise<void> | void = () => {}
  /** Before the caller learns that it is committed. */
  afterCommit: (unit: readonly Write[]) => Promise<void> | void = () => {}

  constructor(private readonly store: Store) {}

  readonly engine = 'sqlite'
  get db() {
    return this.store.db
  }
  get statistics() {
    return this.store.statistics
  }
  first<Row>(query: Query<Row>) {
    return this.store.first(query)
  }
  all<Row>(query: Query<Row>) {
    return this.store.all(query)
  }
  async commit(unit: readonly Write[]) {
    await this.beforeCommit(unit)
    await this.store.commit(unit)
    await this.afterCommit(unit)
  }
  get background() {
    return this.store.background
  }
  sweepTexts() {
    return this.store.sweepTexts()
  }
  ping() {
    return this.store.ping()
  }
  close() {
    return this.store.close()
  }
}

export async function openWorld(post: (id: string, claim: number) => void = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-webhooks-'))
  const store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  const clock = systemClock
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const kind = deliveryKind({
    limits: deliveryLimits({ backOffMs: [0], leaseMs: 60_000 }),
    failingMs: 1e9,
    notices: null,
    post,
    isUnderWay: () => false,
    eventsUntil: () => 0,
  })
  const actorsOn = (on: Store) => new Actors({ store: on, clock, kinds: [kind], onError })
  const at = clock.now()
  const { db } = store
  const newOrganization = async (slug: string): Promise<string> => {
    const id = newId('org')
    const times = { created_at: at, updated_at: at }
    await db
      .insertInto('organizations')
      .values({ id, slug, name: slug, kind: 'team', status: 'active', ...times })
      .execute()
    return id
  }
  const organizationId = await newOrganization('ours')
  const actors = actorsOn(store)
  const projects = new Map<string, string>()
  const projectOf = (environmentId: string) => projects.get(environmentId) as string
  const organizations = new Map<string, string>()
  const organizationOf = (environmentId: string) => organizations.get(environmentId) as string

  return {
    store,
    actors,
    actorsOn,
    clock,
    errors,
    onError,
    organizationId,

    newOrganization,

    /** In its own Project. */
    async environment(organization_id = organizationId): Promise<string> {
      const id = newId('env')
      const projectId = newId('prj')
      const times = { created_at: at, updated_at: at }
      await db
        .insertInto('projects')
        .values({
          id: projectId,
          organization_id,
          slug: projectId.replace('_', '-'),
          name: 'Project',
          template_id: null,
          status: 'active',
          ...times,
        })
        .execute()
      projects.set(id, projectId)
      organizations.set(id, organization_id)
      await db
        .insertInto('environments')
        .values({
          id,
          organization_id,
          project_id: projectId,
          kind: 'development',
          name: id,
          state: 'active',
          version: 1,
          machine_version: '1',
          context: '{}',
          generation: 0,
          head_revision_id: newId('cfr'),
          head_number: 0,
          active_deployment_id: null,
          ...times,
        })
        .execute()
      return id
    },

    /** A webhook for created runs. */
    async webhook(environmentId: string, more: Partial<WebhookRow> = {}): Promise<string> {
      const id = newId('whk')
      await db
        .insertInto('webhooks')
        .values({
          id,
          organization_id: organizationOf(environmentId),
          project_id: projectOf(environmentId),
          environment_id: environmentId,
          endpoint_url: 'https://hooks.example.com/',
          event_types: '["run.created"]',
          enabled: 1,
          disabled_reason: null,
          failing_since: null,
          capture_responses: 0,
          secret_version: 1,
          created_at: at,
          updated_at: at,
          deleted_at: null,
          ...more,
        })
        .execute()
      await store.commit([
        insertPointer(store, { environmentId }),
        subscribe(store, { environmentId, webhookId: id, type: 'run.created' }),
      ])
      return id
    },

    /** This many events, each in its own commit; all at once. */
    async emit(environmentId: string, count = 1, on: Store = store): Promise<void> {
      const one = () =>
        on.commit(
          recordEvent(on, {
            organizationId: organizationOf(environmentId),
            projectId: projectOf(environmentId),
            environmentId,
            type: 'run.created',
            subject: { type: 'agentRun', id: newId('run') },
            actor: system,
            data: {},
            at: clock.now(),
          }),
        )
      await Promise.all(Array.from({ length: count }, one))
    },

    fanOut: (parts: Partial<FanOutParts> = {}) =>
      new FanOut({ store, clock, members: allWork, actors, eventsUntil: () => 0, made: () => {}, onError, ...parts }),

    /** The service that recovers webhooks on this store, without HTTP. */
    recovering(on: Store, eventsUntil: () => number = () => 0) {
      const runtime = new Actors({ store: on, clock, kinds: [kind], onError })
      const work = new RecoveryWork({
        store: on,
        clock,
        actors: runtime,
        eventsUntil,
        made: () => {},
        onError,
      })
      runtime.register([work.kind])
      return {
        start: () => runtime.start(),
        stop: () => runtime.stop(),
        async begin(webhookId: string, environmentId: string, states: Recoverable[] = [...recoverables]) {
          const now = clock.now()
          const head = await store.first(getHead(store, { environmentId }))
          const seed = {
            id: newId('whr', now),
            organization_id: organizationId,
            project_id: projectOf(environmentId),
            environment_id: environmentId,
            webhook_id: webhookId,
            since: 0,
            up_to: newId('dlv', now + 1),
            head: head?.sequence ?? 0,
          }
          await runtime.create(recoveryAddress(seed.id), {
            input: { states, afterSequence: 0 },
            seed,
            named: 'create',
          })
          return seed.id
        },
        /** Its final state. */
        ended: (id: string) =>
          eventually('the end of the recovery', async () => {
            const row = await store.first(getRecovery(store, { id }))
            return (
              row && row.state !== 'running' && { state: row.state, ...(JSON.parse(row.context) as RecoveryContext) }
            )
          }),
      }
    },

    /** The numbers of the events that have deliveries of the webhook, ascending. */
    async sequences(webhookId: string): Promise<number[]> {
      const rows = await db
        .selectFrom('deliveries')
        .select('event_sequence')
        .where('webhook_id', '=', webhookId)
        .orderBy('event_sequence')
        .execute()
      return rows.map(({ event_sequence }) => event_sequence)
    },

    async pointer(environmentId: string): Promise<number | undefined> {
      const row = await db
        .selectFrom('webhook_pointers')
        .select('sequence')
        .where('environment_id', '=', environmentId)
        .executeTakeFirst()
      return row?.sequence
    },

    async close() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

export const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
