/** A store with Environments, whose histories are written and read without a server. */
import { Baselines } from '../../../src/events/history/baseline.ts'
import { History } from '../../../src/events/history/history.ts'
import { recordEvent } from '../../../src/events/history/record.ts'
import { EventRetention } from '../../../src/events/history/retention.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import { createCursors } from '../../../src/platform/http/cursor.ts'
import { newId } from '../../../storage/ids.ts'
import type { Write } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

export const day = 86_400_000
export const raw = (sql: string, ...parameters: unknown[]): Write => ({ sql, parameters })

export interface Place {
  organizationId: string
  projectId: string
  environmentId: string
}

/** The statements that create an Environment, in its own organization and Project. */
export function planting(place: Place, { state = 'active', createdAt = 0 } = {}): Write[] {
  const { organizationId, projectId, environmentId } = place
  return [
    raw(
      `insert into organizations (id, slug, name, kind, status, created_at, updated_at) values (?, ?, '', 'team', 'active', 0, 0)`,
      organizationId,
      organizationId,
    ),
    raw(
      `insert into projects (id, organization_id, slug, name, status, created_at, updated_at) values (?, ?, 'p', '', 'active', 0, 0)`,
      projectId,
      organizationId,
    ),
    raw(
      `insert into environments (id, organization_id, project_id, kind, name, state, version, machine_version, context, generation,
        head_revision_id, head_number, created_at, updated_at)
       values (?, ?, ?, 'preview', '', ?, 1, '1', '{}', 0, 'cfr_', 0, ?, 0)`,
      environmentId,
      organizationId,
      projectId,
      state,
      createdAt,
    ),
  ]
}

export const newPlace = (): Place => ({
  organizationId: newId('org'),
  projectId: newId('prj'),
  environmentId: newId('env'),
})

export async function openWorld({ days = 1, store: address }: { days?: number; store?: string } = {}) {
  const store = await openMigrated(address)
  const clock = {
    time: Date.UTC(2026, 0, 31, 12),
    now: () => clock.time,
    after: () => ({ cancel() {} }),
  }
  const cursors = createCursors(new Uint8Array(32).fill(7))
  const retention = new EventRetention({ store, clock, days })
  const history = new History({ store, cursors, retention })
  const baselines = new Baselines({ store, clock, cursors })
  return {
    store,
    clock,
    cursors,
    retention,
    history,
    async plant(options: { state?: string; createdAt?: number } = {}): Promise<Place> {
      const place = newPlace()
      await store.commit(planting(place, options))
      return place
    },
    /** One event, in its own unit of work unless others are given. */
    record: (place: Place, number: number, others: Write[] = []) =>
      store.commit([
        ...recordEvent(store, {
          ...place,
          type: 'run.created',
          subject: { type: 'agentRun', id: 'run_' },
          actor: { type: 'system', id: 'troupe' },
          data: { number },
          at: clock.now(),
        }),
        ...others,
      ]),
    read: (place: Place, limit: number, cursor?: string) =>
      history.read(place, cursor === undefined ? { limit } : { limit, cursor }, null),
    rebaseline: (place: Place) => baselines.take(place, recordNothing),
    /** The last sequence number that was taken. */
    async head({ environmentId }: Place): Promise<number> {
      const row = await store.first<{ sequence: number }>({
        sql: 'select sequence from environment_sequences where environment_id = ?',
        parameters: [environmentId],
      })
      return row?.sequence ?? 0
    },
    /** The sequence numbers of the stored events. */
    async stored({ environmentId }: Place): Promise<number[]> {
      const rows = await store.all<{ sequence: number }>({
        sql: 'select sequence from environment_events where environment_id = ? order by sequence',
        parameters: [environmentId],
      })
      return rows.map(({ sequence }) => sequence)
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>
