/**
 * The HTTP routes of System Agents: their names, their presentation and whether they can be started, but not their
 * instructions. Source: contract 5, 7.
 */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { notFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { doc } from '../../platform/http/doc.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { pageQuery, readPage } from '../../platform/http/pagination.ts'
import { dataOf, Id, nullable, pageOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { AgentContent } from '../agents/content.ts'
import { AgentRevision } from '../agents/schema.ts'
import { descriptions } from './built-in.ts'
import { type PolicyParts, SystemAgentPolicy } from './policy.ts'
import type { SystemAgentRevision } from './revision.ts'
import type { SystemAgents } from './system-agents.ts'

const systemAgentId = Type.String({
  pattern: '^agt_[a-z0-9_]{1,60}$',
  description: 'The id of an agent of the platform (`agt_system_…`).',
  examples: ['agt_system_assistant'],
})

const SystemAgent = Type.Object(
  {
    id: systemAgentId,
    name: Type.String({ examples: ['Assistant'] }),
    description: nullable(Type.String()),
    presentation: nullable(AgentContent.properties.presentation),
    latestRevisionId: Id('agr', 'The revision of runs that start now.'),
    number: Type.Integer({ minimum: 1, description: 'The number of that revision.' }),
    contentDigest: AgentRevision.properties.contentDigest,
    enabled: Type.Boolean({ description: 'Whether it can be started. Existing runs continue.' }),
    createdAt: Timestamp('When that revision was published.'),
  },
  { $id: 'SystemAgent', description: 'An agent of the platform: without Project, Environment and Release.' },
)

const present = (revision: SystemAgentRevision, enabled: boolean): Static<typeof SystemAgent> => ({
  id: revision.agentId,
  name: revision.name,
  description: descriptions[revision.agentId] ?? null,
  presentation: revision.content.presentation ?? null,
  latestRevisionId: revision.agentRevisionId,
  number: revision.number,
  contentDigest: revision.contentDigest,
  enabled,
  createdAt: timestamp(revision.createdAt),
})

const SystemAgentChanges = Type.Object(
  { enabled: Type.Optional(Type.Boolean({ description: 'Whether it can be started.' })) },
  { $id: 'SystemAgentChanges', description: 'Whether runs of it may be started.', examples: [{ enabled: false }] },
)

/** System Agents belong to no Project, so the permission must cover the whole organization. */
const mayKnow = (caller: Caller, permission: Permission, agentId: string): boolean =>
  isWithinScope(caller, permission, { projectId: null, environmentId: null, agentId })

const SystemAgentPath = Type.Object({ agentId: { ...systemAgentId, parameter: 'SystemAgentId' } })

interface SystemAgentRoutesParts extends PolicyParts {
  guarded: Guarded
  cursors: Cursors
  systemAgents: SystemAgents
}

export function systemAgentRoutes({ guarded, cursors, ...parts }: SystemAgentRoutesParts) {
  const { systemAgents } = parts
  const policy = new SystemAgentPolicy(parts)
  const shown = (revision: SystemAgentRevision) => present(revision, systemAgents.isEnabled(revision.agentId))
  const known = (caller: Caller, permission: Permission, agentId: string): SystemAgentRevision => {
    const found = systemAgents.find(agentId)
    if (!found || !mayKnow(caller, permission, agentId)) throw notFound()
    return found
  }
  const toChange = ({ caller, params: { agentId } }: Naming<typeof SystemAgentPath>) => {
    if (!mayKnow(caller, 'agents:push', agentId)) throw notFound()
    return policy.findToChange(caller, agentId)
  }
  return new Elysia({ name: 'system-agents', prefix: '/api/v1/system-agents', tags: ['Agents'] })
    .use(guarded)
    .get(
      '',
      ({ caller, query }) => {
        const scope = { list: 'system-agents', organizationId: caller.organizationId }
        const read = async (after: unknown[] | undefined, limit: number) => {
          const id = (after?.[0] as string | undefined) ?? ''
          const known = systemAgents.list().filter(({ agentId }) => mayKnow(caller, 'agents:list', agentId))
          return known.filter(({ agentId }) => agentId > id).slice(0, limit)
        }
        return readPage({ cursors, scope }, query, read, ({ agentId }) => [agentId], shown)
      },
      {
        permission: 'agents:list',
        query: pageQuery,
        response: { 200: pageOf(SystemAgent) },
        detail: doc(
          'listSystemAgents',
          'List System Agents',
          'Ordered by id. A credential that is bound to a part of the organization sees none.',
        ),
      },
    )
    .get('/:agentId', ({ caller, params }) => ({ data: shown(known(caller, 'agents:get', params.agentId)) }), {
      permission: 'agents:get',
      params: SystemAgentPath,
      find: ({ caller, params }: Naming<typeof SystemAgentPath>) => known(caller, 'agents:get', params.agentId),
      response: { 200: dataOf(SystemAgent) },
      detail: doc('getSystemAgent', 'Get a System Agent', 'At its latest revision, without its instructions.'),
    })
    .patch(
      '/:agentId',
      async ({ caller, params, body, record }) => {
        if (!mayKnow(caller, 'agents:push', params.agentId)) throw notFound()
        const answer = (revision: SystemAgentRevision, enabled: boolean) => ({ data: present(revision, enabled) })
        const { revision, enabled } = await policy.change(caller, params.agentId, body.enabled, (changed, is, was) =>
          record(answer(changed, is), answer(changed, was).data),
        )
        return answer(revision, enabled)
      },
      {
        permission: 'agents:push',
        resource: 'systemAgent',
        params: SystemAgentPath,
        find: toChange,
        body: SystemAgentChanges,
        response: { 200: dataOf(SystemAgent) },
        detail: doc(
          'updateSystemAgent',
          'Enable or disable a System Agent',
          'Only owners of the first organization may do this; it applies to the whole installation. A disabled System Agent ' +
            'cannot be started (404); its active runs continue. Every active Environment gets the event ' +
            '`system_agent.policy_changed`.',
        ),
      },
    )
}
