/** Runs that end at chosen times and places, and their statistics. */
import { expect } from 'bun:test'
import { runAddress } from '../../../src/runs/record.ts'
import type { Reply } from '../../support/client.ts'
import { openWorld as openRuns, organizations, type World as Runs } from '../world.ts'

export const path = '/api/v1/agent-runs'
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

interface Place {
  projectId?: string
  environmentId?: string
}

type Client = Runs['owner']

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld() {
  const runs = await openRuns()
  const { store, actors, clock, runner } = runs
  return {
    ...runs,
    async figures(query: Record<string, string> = {}, client: Client = runs.owner): Promise<Reply['body']> {
      const { status, body } = await client.get(`${path}/statistics`, { query })
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
      return body.data
    },
    /** A Project with these Environments, as far as runs need them. */
    async plant(projectId: string, ...environments: string[]): Promise<void> {
      const at = clock.now()
      const kinds = ['development', 'production']
      await store.commit([
        {
          sql: `insert into projects (id, organization_id, slug, name, status, created_at, updated_at)
            values (?, ?, ?, 'Project', 'active', ?, ?)`,
          parameters: [projectId, organizations.ours, projectId.slice(-5), at, at],
        },
        ...environments.map((id, place) => ({
          sql: `insert into environments (id, organization_id, project_id, kind, name, state, version, machine_version,
            context, generation, head_revision_id, head_number, created_at, updated_at)
            values (?, ?, ?, ?, 'Environment', 'active', 1, '1', '{}', 0, 'cfr_1', 0, ?, ?)`,
          parameters: [id, organizations.ours, projectId, kinds[place], at, at],
        })),
      ])
    },
    /** Like a restart. */
    forget: (id: string) => actors.forget(runAddress(id)),
    /** A queued run of this place. */
    async queued({ projectId, environmentId }: Place = {}): Promise<string> {
      const id = await runs.start()
      await store.commit([
        {
          sql: 'update runs set project_id = ?, environment_id = ? where id = ?',
          parameters: [projectId ?? null, environmentId ?? null, id],
        },
      ])
      actors.forget(runAddress(id))
      return id
    },
    /** A run that waits, works and ends like this. */
    async ran(state: string, { queueMs = 0, workMs = 0, place = {} as Place } = {}): Promise<string> {
      const id = await this.queued(place)
      clock.advance(queueMs)
      if (state === 'expired' || workMs === 0) {
        await runner.lead(id, state)
        return id
      }
      await runner.begin(id)
      clock.advance(workMs)
      await this.end(id, state)
      return id
    },
    async end(id: string, state: string): Promise<void> {
      if (state === 'completed') await runner.complete(id)
      else if (state === 'failed') {
        await runner.end(id, { type: 'failed', cause: { code: 'provider_error', message: 'The vendor is away.' } })
      } else {
        await actors.send(runAddress(id), { type: 'cancel' })
        await runner.end(id, { type: 'reported' })
      }
    },
  }
}

export const totals = (more: Partial<Record<string, number>> = {}) => ({
  completed: 0,
  failed: 0,
  canceled: 0,
  expired: 0,
  ...more,
})
