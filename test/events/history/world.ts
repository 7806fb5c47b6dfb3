/**
 * A server with Environments whose histories are written directly to the store; other tests check who emits which
 * event.
 */

import { newId } from '../../../storage/ids.ts'
import type { Client, Reply } from '../../support/client.ts'
import { type Place as ActivePlace, placesOf } from '../../support/world/places.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export const day = 86_400_000

export interface Place extends ActivePlace {
  /** The age of its events. */
  events: string
}

export async function openWorld() {
  const world = await openServer()
  const places = placesOf(world)
  return {
    ...world,

    /** An active Environment in a new Project. */
    async place(owner?: Client, organizationId?: string): Promise<Place> {
      const place = await places.place(owner, organizationId)
      return { ...place, events: `${place.path}/events` }
    },

    /** A long history at once: this many events of a type. */
    addMany({ environmentId }: Place, count: number, type = 'run.created') {
      const at = world.clock.now()
      const [{ head } = { head: 0 }] = world.rows<{ head: number }>(
        'select sequence as head from environment_sequences where environment_id = ?',
        environmentId,
      )
      const subject = { type: 'agentRun', id: newId('run') }
      const rest = JSON.stringify({ type, timestamp: new Date(at).toISOString(), subject, data: {} }).slice(1)
      world.rows(
        `insert into environment_events (environment_id, sequence, id, type, body, at)
         with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
         select '${environmentId}', ${head} + number, 'evt_${environmentId}_' || (${head} + number), '${type}',
           '{"sequence":' || (${head} + number) || ',${rest}', ${at} from numbers`,
      )
      world.rows(
        `insert into environment_sequences (environment_id, sequence, at) values (?, ?, ?)
         on conflict (environment_id) do update set sequence = excluded.sequence`,
        environmentId,
        head + count,
        at,
      )
    },

    /** This many events of this age, of an Agent or of none. */
    add(place: Place, count: number, ageMs = 0, agentId?: string) {
      const { organizationId, projectId, environmentId } = place
      const at = world.clock.now() - ageMs
      for (let number = 0; number < count; number += 1) {
        const [{ sequence }] = world.rows<{ sequence: number }>(
          `insert into environment_sequences (environment_id, sequence, at) values (?, 1, ?)
           on conflict (environment_id) do update set sequence = environment_sequences.sequence + 1, at = excluded.at returning sequence`,
          environmentId,
          at,
        ) as [{ sequence: number }]
        const id = newId('evt')
        const event = {
          id,
          type: 'run.created',
          timestamp: new Date(at).toISOString(),
          sequence,
          organizationId,
          projectId,
          environmentId,
          subject: { type: 'agentRun', id: newId('run') },
          actor: { type: 'user', id: newId('usr') },
          data: { ...(agentId && { agentId }), from: null, to: 'queued' },
        }
        world.rows(
          'insert into environment_events (environment_id, sequence, id, type, body, at) values (?, ?, ?, ?, ?, ?)',
          environmentId,
          sequence,
          id,
          event.type,
          JSON.stringify(event),
          at,
        )
      }
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

export const sequences = ({ body }: Reply): number[] =>
  body.events.map(({ sequence }: { sequence: number }) => sequence)
