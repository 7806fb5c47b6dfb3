/** The routes of Connections. Source: requirement 4.3; contract 4. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrors } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQueryByName } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, itemsOf, pageOf } from '../../platform/http/schema.ts'
import { ConnectionHealth, type ConnectionHealthParts } from './health.ts'
import { BindingHealth, Connection, ConnectionChanges, ConnectionPath, NewConnection } from './schema.ts'
import { type ConnectionParts, Connections } from './service.ts'

const resource = 'connection'

export function connectionRoutes({
  guarded,
  idempotency,
  ...parts
}: ConnectionParts & ConnectionHealthParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const connections = new Connections(parts)
  const find = ({ caller, params }: Naming<typeof ConnectionPath>) => connections.get(caller, params)
  const health = new ConnectionHealth(parts)
  return new Elysia({
    name: 'connections',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/connections',
    tags: ['Connections'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => connections.list(caller, params, query), {
      permission: 'connections:list',
      params: EnvironmentPath,
      query: pageQueryByName,
      response: { 200: pageOf(Connection) },
      errors: ['invalid_cursor'],
      detail: doc(
        'listConnections',
        'List Connections',
        'The Connections of the Environment, newest first, without their credentials.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 200,
          work: ({ caller, params, body }, record) => connections.create(caller, params, body, record),
          listsConflict: false,
        }),
      {
        permission: 'connections:create',
        resource,
        params: EnvironmentPath,
        body: NewConnection,
        headers: IdempotencyHeader,
        response: { 200: dataOf(Connection) },
        errors: [...keyErrors, 'url_not_allowed', ['name_taken', 422], 'binding_taken', 'limit_exceeded'],
        detail: doc(
          'createConnection',
          'Create a Connection',
          'Its settings and its credential reference become version 1. The settings depend on the ' +
            'kind; they must not contain secrets. An Environment has at most 200 Connections, and an Agent one under each binding ' +
            'key. Runs use it once a Configuration Revision with it is deployed and activated.',
        ),
      },
    )
    .get('/health', async ({ caller, params }) => ({ data: { items: await health.read(caller, params) } }), {
      permission: 'connections:list',
      params: EnvironmentPath,
      response: { 200: itemsOf(BindingHealth) },
      errors: ['no_active_deployment'],
      detail: doc(
        'getConnectionHealth',
        'Get the health of declared bindings',
        'Every Connection that an Agent of the active Deployment declares, including missing ones. Only ' +
          'stored state is checked: no service is contacted, so a healthy binding may still fail.',
      ),
    })
    .get('/:connectionId', async ({ caller, params }) => ({ data: await connections.get(caller, params) }), {
      permission: 'connections:get',
      params: ConnectionPath,
      find,
      response: { 200: dataOf(Connection) },
      detail: doc('getConnection', 'Get a Connection', 'With its settings and its current version.'),
    })
    .patch(
      '/:connectionId',
      async ({ caller, params, body, record }) => ({ data: await connections.change(caller, params, body, record) }),
      {
        permission: 'connections:update',
        resource,
        params: ConnectionPath,
        find,
        body: ConnectionChanges,
        response: { 200: dataOf(Connection) },
        errors: ['url_not_allowed', ['name_taken', 422], 'binding_taken', 'limit_exceeded'],
        detail: doc(
          'updateConnection',
          'Change a Connection',
          'Name, status and binding; `version` creates the next immutable version. Deployments keep the version ' +
            'that they pin, and fail while the Connection is disabled. A Connection has at most 10,000 versions.',
        ),
      },
    )
    .delete('/:connectionId', ({ caller, params, record }) => connections.remove(caller, params, record), {
      permission: 'connections:delete',
      resource,
      params: ConnectionPath,
      find,
      response: { 204: Type.Void({ description: 'Deleted; no body.' }) },
      errors: ['connection_retained', 'deletion_in_progress'],
      detail: doc(
        'deleteConnection',
        'Delete a Connection',
        'Deletes all of its versions. Refused while a Configuration Revision contains it.',
      ),
    })
}
