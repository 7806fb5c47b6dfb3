/** The routes of entities. Source: contract 1, `projects:read-runtime-data`; contract 6. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { Transition } from '../../runtime/transition.ts'
import { Entity, EntityPath, EntityQuery, EntityTypePath } from './schema.ts'
import { Entities, type EntityParts } from './service.ts'

const permission = 'projects:read-runtime-data'

export function entityRoutes({ guarded, ...parts }: EntityParts & { guarded: Guarded }) {
  const entities = new Entities(parts)
  const findType = ({ caller, params }: Naming<typeof EntityTypePath>) => entities.list(caller, params, { limit: 1 })
  const find = ({ caller, params }: Naming<typeof EntityPath>) => entities.get(caller, params)
  return new Elysia({
    name: 'entities',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/entities',
    tags: ['Entities'],
  })
    .use(guarded)
    .get('/:type', ({ caller, params, query }) => entities.list(caller, params, query), {
      permission,
      params: EntityTypePath,
      find: findType,
      query: EntityQuery,
      response: { 200: pageOf(Entity) },
      detail: doc(
        'listEntities',
        'List the entities of a type',
        'Newest first. A type is the name of a Definition of kind `entity`; 404 for an unknown type.',
      ),
    })
    .get('/:type/:entityId', async ({ caller, params }) => ({ data: await entities.get(caller, params) }), {
      permission,
      params: EntityPath,
      find,
      response: { 200: dataOf(Entity) },
      detail: doc('getEntity', 'Get an entity'),
    })
    .get('/:type/:entityId/transitions', ({ caller, params, query }) => entities.transitions(caller, params, query), {
      permission,
      params: EntityPath,
      find,
      query: pageQuery,
      response: { 200: pageOf(Transition) },
      detail: doc(
        'listEntityTransitions',
        'List the transitions of an entity',
        'Its journal, ascending: creation and changes of state.',
      ),
    })
}
