/** A server with a run and an Environment to follow, and users who may follow them for different reasons. */

import { newId } from '../../../storage/ids.ts'
import type { ApiKeyRow, MembershipRow } from '../../../storage/tables.ts'
import { openWorld as openServer } from '../../runs/project/world.ts'
import { EventReader } from '../../runs/stream/event-stream.ts'
import type { Client } from '../../support/client.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import type { Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

export const watching = ['agent-runs:get', 'agent-runs:list', 'agent-runs:stream', 'projects:get'] as const

/** How a user reads: by a key, or by a session. */
export interface Reader {
  client: Pick<Client, 'get' | 'post' | 'delete' | 'raw'>
  userId: string
  /** The key's id, or the session's. */
  credentialId: string
}

export interface Watched extends Place {
  runId: string
}

/** The kinds of streams. */
export const streams = {
  'a run': ({ runId }: Watched) => `/api/v1/agent-runs/${runId}/stream`,
  'the actor of a run': ({ runId }: Watched) => `/api/v1/actors/run/${runId}/stream`,
  'the actor of an Environment': ({ environmentId }: Watched) => `/api/v1/actors/environment/${environmentId}/stream`,
  'the changes of runs': ({ projectId }: Watched) => `/api/v1/agent-runs/changes?projectId=${projectId}`,
} as const
type StreamName = keyof typeof streams
export const streamNames = Object.keys(streams) as StreamName[]

export async function openWorld(options: TroupeOptions = {}) {
  const server = await openServer({
    ...options,
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', ...options.environment },
  })
  const { ours, owner, tenancy } = server

  const keyOf = (
    userId: string,
    changes: Partial<ApiKeyRow> = {},
    operations: readonly string[] = watching,
  ): Reader => {
    const { id, secret } = tenancy.key(changes.organization_id ?? ours, userId, operations, changes)
    return { client: server.as(secret), userId, credentialId: id }
  }

  return {
    ...server,
    keyOf,

    /** A user in the organization, with a key. */
    person: (role: MembershipRow['role'], changes: Partial<ApiKeyRow> = {}): Reader =>
      keyOf(tenancy.user(ours, role), changes),

    /** A user in the organization, with a session. */
    browser(role: MembershipRow['role'], session: { lifeMs?: number } = {}): Reader {
      const userId = tenancy.user(ours, role)
      const token = newId('req').slice(4).padEnd(43, 'x')
      const at = Date.now()
      const id = new Bun.CryptoHasher('sha256').update(token).digest('hex')
      tenancy.insert('sessions', {
        id,
        user_id: userId,
        public_id: newId('ses', at),
        address: null,
        user_agent: null,
        created_at: at,
        last_seen_at: at,
        expires_at: at + (session.lifeMs ?? 3_600_000),
      })
      const nobody = server.as(null)
      const cookie = `troupe_session=${token}`
      const sending = <Options extends { headers?: Record<string, string> } | undefined>(given: Options) => ({
        ...given,
        headers: { cookie, ...given?.headers },
      })
      const changing = async () => {
        const { body } = await nobody.get('/api/auth/session', sending(undefined))
        return sending({ headers: { 'x-csrf-token': body.data.csrfToken as string } })
      }
      const client: Reader['client'] = {
        raw: (method, path, body, given) => nobody.raw(method, path, body, sending(given)),
        get: (path, given) => nobody.get(path, sending(given)),
        post: async (path, body) => nobody.post(path, body, await changing()),
        delete: async (path) => nobody.delete(path, await changing()),
      }
      return { client, userId, credentialId: id }
    },

    /** A Project with a run that waits for a runner. */
    async watched(): Promise<Watched> {
      const place = await server.place()
      const agent = await server.agent(place)
      await server.serve(place, [agent])
      const { id } = await data(server.start(place, agent.agentId, 'Hello'))
      return { ...place, runId: id }
    },

    /** Lets a user follow streams in a Project; returns the grant's path. */
    async grant({ project }: Place, subject: object, permissions: readonly string[] = watching): Promise<string> {
      const { id } = await data(owner.post(`${project}/access-grants`, { subject, permissions }))
      return `${project}/access-grants/${id}`
    },

    async group(...members: string[]): Promise<{ id: string; path: string }> {
      const groups = `/api/v1/organizations/${ours}/user-groups`
      const { id } = await data(owner.post(groups, { name: newId('req') }))
      for (const userId of members) await data(owner.post(`${groups}/${id}/members`, { userId }))
      return { id, path: `${groups}/${id}` }
    },

    /** Opens a stream, and reads its snapshot. */
    async follow({ client }: Pick<Reader, 'client'>, path: string, signal?: AbortSignal): Promise<EventReader> {
      const answer = await client.raw('GET', path, undefined, signal && { signal })
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
      const reader = new EventReader(answer)
      await reader.take(1)
      return reader
    },

    close: server.stop,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
