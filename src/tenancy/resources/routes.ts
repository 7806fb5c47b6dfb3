/** Finds resources by id alone, such as an id seen in a log line or a message, or by name. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { idNames } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { lookedMax } from '../../../storage/tenancy/names.ts'
import { type FoundPrefix, findWhereabouts, foundPrefixes } from '../../../storage/tenancy/whereabouts.ts'
import { notFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import { isBound, isWithinScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, Id, itemsOf, nullable, oneOf } from '../../platform/http/schema.ts'
import { hiddenFromAgents, ofOrganizationVariables, readPermissions } from './found.ts'
import { NamedResource, ResourceSearch, searchNamed, searchPermissions } from './search.ts'

const kinds = foundPrefixes.map((prefix) => idNames[prefix])

const ResourcePath = Type.Object({
  resourceId: Type.String({
    pattern: `^(${foundPrefixes.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    description: `The id of a ${kinds.join(', ')}.`,
    examples: ['agt_01h455vb4pex5vsknk084sn02q'],
  }),
})

const ResourceFound = Type.Object(
  {
    id: Type.String({ description: 'As requested.' }),
    kind: oneOf(kinds, { description: 'What it is.' }),
    projectId: nullable(Id('prj', 'Null for what is of the organization as a whole.')),
    environmentId: nullable(Id('env', 'Null for what is in no Environment.')),
    parent: nullable(
      Type.String({
        description:
          'What its operations are below in the path: the id of the Agent or the Definition of a revision, of the ' +
          'Deployment of an Activation, of the Connection of its version or its consent, of the Webhook of a delivery or ' +
          'a recovery, of the invocation of an approval, of the rule of an incident; the type of an Entity.',
      }),
    ),
  },
  { $id: 'ResourceFound' },
)

/** Throws `not_found` (404) for an unknown id, and for a resource that the caller may not read. */
async function locate(store: Store, caller: Caller, id: string): Promise<Static<typeof ResourceFound>> {
  const { organizationId, scope } = caller
  const prefix = id.slice(0, 3) as FoundPrefix
  const found = await findWhereabouts(store, prefix, { id, organizationId })
  if (!found) throw notFound()
  const { project_id: projectId, environment_id: environmentId, agent_id: agentId, parent } = found
  const ofOrganization = prefix === 'var' ? ofOrganizationVariables : readPermissions[prefix]
  // a run of a System Agent is in no Project, but does not belong to the organization as a whole
  const isOfOrganization = projectId === null && prefix !== 'run'
  const readable = isOfOrganization
    ? !isBound(caller) && may(caller, ofOrganization, null)
    : isWithinScope(caller, readPermissions[prefix], {
        projectId,
        // a resource without an Environment or Agent is readable by keys bound to any of them
        environmentId: environmentId ?? (projectId === null ? null : scope.environmentId),
        agentId: agentId ?? (hiddenFromAgents.has(prefix) ? null : scope.agentId),
      })
  if (!readable) throw notFound()
  return { id, kind: idNames[prefix], projectId, environmentId, parent }
}

const permissions = [...new Set([...Object.values(readPermissions), ofOrganizationVariables])]

export function resourceRoutes({ guarded, store }: { guarded: Guarded; store: Store }) {
  return new Elysia({ name: 'resources', prefix: '/api/v1/resources', tags: ['Organizations'] })
    .use(guarded)
    .get('', async ({ caller, query }) => ({ data: { items: await searchNamed(store, caller, query) } }), {
      permission: 'projects:list',
      orPermissions: Object.values(searchPermissions).filter((permission) => permission !== 'projects:list'),
      query: ResourceSearch,
      response: { 200: itemsOf(NamedResource) },
      detail: doc(
        'searchResources',
        'Find by name',
        'Projects, Environments, Agents and Definitions in all Projects within the scope of the credential. Of each ' +
          `kind the ${lookedMax.toLocaleString('en')} of the newest Projects are looked through.`,
      ),
    })
    .get('/:resourceId', async ({ caller, params }) => ({ data: await locate(store, caller, params.resourceId) }), {
      permission: 'projects:get',
      orPermissions: permissions,
      params: ResourcePath,
      find: ({ caller, params }: Naming<typeof ResourcePath>) => locate(store, caller, params.resourceId),
      response: { 200: dataOf(ResourceFound) },
      detail: doc(
        'findResource',
        'Find a resource by its id',
        'For ids found in logs and messages: returns the Project and the Environment of the resource, which its paths ' +
          'need. Requires the permission to read the resource; without it the answer is 404, as for an unknown id.',
      ),
    })
}
