/** The servers that share the store, over HTTP. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findInstallationOf } from '../../../storage/authoring/system-agents.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { doc } from '../../platform/http/doc.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery, readPage } from '../../platform/http/pagination.ts'
import { pageOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Member, Members } from '../../platform/members/members.ts'

const Process = Type.Object(
  {
    id: Type.String({ description: 'The id of the process, new at each start.' }),
    version: Type.String({ description: 'The version of its program.', examples: ['0.1.0'] }),
    startedAt: Timestamp('When it joined the others.'),
    seenAt: Timestamp(
      'The time of its last heartbeat. A server without one for 15 seconds, or for 6 if its connections are lost, is considered dead.',
    ),
    clockSkewMs: Type.Integer({
      description:
        "The offset of its clock from the store's, in milliseconds; below 0: behind. More than 1,000 is too much.",
    }),
    slots: Type.Array(Type.Integer({ minimum: 0, maximum: 63 }), {
      description: 'The slots whose work it does: of 64 over all processes.',
    }),
    answering: Type.Boolean({ description: 'Whether it is the server that answers this request.' }),
  },
  { $id: 'Process', description: 'A server of the installation.' },
)

const permission = 'organizations:get'

interface ProcessRoutesParts {
  guarded: Guarded
  store: Store
  cursors: Cursors
  members: Members
}

export function processRoutes({ guarded, store, cursors, members }: ProcessRoutesParts) {
  /** Only the operators of the installation may see its machines. */
  const assertPlatformOwner = async (caller: Caller) => {
    const { organizationId, role } = caller
    const isWhole = isWithinScope(caller, permission, { projectId: null, environmentId: null, agentId: null })
    if (isWhole && role === 'owner' && (await store.first(findInstallationOf(store, { organizationId })))) return
    throw new ApiError(403, 'permission_denied', 'Only owners of the first organization can list the servers.', {
      details: { permission },
    })
  }
  const present = ({ id, version, startedAt, beatAt, skewMs, slots }: Member): Static<typeof Process> => ({
    id,
    version,
    startedAt: timestamp(startedAt),
    seenAt: timestamp(beatAt),
    clockSkewMs: Math.round(skewMs),
    slots: [...slots],
    answering: id === members.id,
  })
  return new Elysia({ name: 'processes', prefix: '/api/v1/processes', tags: ['Operating'] }).use(guarded).get(
    '',
    async ({ caller, query }) => {
      await assertPlatformOwner(caller)
      const scope = { list: 'processes', organizationId: caller.organizationId }
      const read = async (after: unknown[] | undefined, limit: number) => {
        const all = (await members.list()).toSorted((one, other) => (one.id < other.id ? -1 : 1))
        return all.filter(({ id }) => id > ((after?.[0] as string | undefined) ?? '')).slice(0, limit)
      }
      return readPage({ cursors, scope }, query, read, ({ id }) => [id], present)
    },
    {
      permission,
      query: pageQuery,
      response: { 200: pageOf(Process) },
      detail: doc(
        'listProcesses',
        'List the servers',
        'The servers that share this store, ordered by id, with the slots of background work that each of them holds. A ' +
          'single server holds all slots. Only owners of the first organization may list them.',
      ),
    },
  )
}
