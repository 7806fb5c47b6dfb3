/** The routes of API keys. Source: requirement 5.4; contract 1. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, omissible, pageOf } from '../../platform/http/schema.ts'
import { treeIn } from '../projects/tree.ts'
import { assertMayEnd, KeyRotation } from './rotation.ts'
import { ApiKey, ChangeKeyBody, CreatedApiKey, CreateKeyBody, KeyPath, RotatedApiKey, RotateKeyBody } from './schema.ts'
import { Keys, type KeysParts } from './service.ts'

export function keyRoutes({ guarded, ...others }: Omit<KeysParts, 'tree'> & { guarded: Guarded }) {
  const parts = { ...others, tree: treeIn(others.store) }
  const keys = new Keys(parts)
  const rotation = new KeyRotation(parts)
  const find = ({ caller, params }: Naming<typeof KeyPath>) => keys.get(caller, params.keyId)
  return new Elysia({ name: 'api-keys', prefix: '/api/v1/api-keys', tags: ['API keys'] })
    .use(guarded)
    .get('', ({ caller, query }) => keys.list(caller, query), {
      permission: 'api-keys:list',
      organizationWide: true,
      query: pageQuery,
      response: { 200: pageOf(ApiKey) },
      detail: doc(
        'listApiKeys',
        'List API keys',
        'All keys of the organization, including revoked and expired ones, newest first.',
      ),
    })
    .post('', async ({ caller, body, record }) => ({ data: await keys.create(caller, body, record) }), {
      permission: 'api-keys:create',
      organizationWide: true,
      resource: 'apiKey',
      body: CreateKeyBody,
      response: { 201: dataOf(CreatedApiKey) },
      errors: ['limit_exceeded', 'not_found', 'deletion_in_progress', 'concurrent_change'],
      detail: doc(
        'createApiKey',
        'Create an API key',
        'The key acts for the user who creates it: it can perform its operations as far as the user may at that time, ' +
          'within its scope. It is not limited by the operations of the credential that creates it. ' +
          '`secret` is shown only here. `warnings` mentions if the key can create other keys.',
      ),
    })
    .get('/current', async ({ identity }) => ({ data: await keys.current(identity) }), {
      signedIn: true,
      keysOnly: true,
      response: { 200: dataOf(ApiKey) },
      detail: doc(
        'getCurrentApiKey',
        'Get the API key of the request',
        'The key that sends the request: its name, permissions, scope and expiry. Every key can read itself.',
      ),
    })
    .get('/:keyId', async ({ caller, params }) => ({ data: await keys.get(caller, params.keyId) }), {
      permission: 'api-keys:get',
      organizationWide: true,
      params: KeyPath,
      find,
      response: { 200: dataOf(ApiKey) },
      detail: doc('getApiKey', 'Get an API key', 'Without its secret.'),
    })
    .patch(
      '/:keyId',
      async ({ caller, params, body, record }) => ({ data: await keys.change(caller, params.keyId, body, record) }),
      {
        permission: 'api-keys:update',
        organizationWide: true,
        resource: 'apiKey',
        params: KeyPath,
        find,
        body: ChangeKeyBody,
        response: { 200: dataOf(ApiKey) },
        errors: ['deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'updateApiKey',
          'Rename an API key or shorten its life',
          'Its permissions cannot change: create another key instead. Its expiry can only be moved forward.',
        ),
      },
    )
    .post(
      '/:keyId/rotate',
      async ({ caller, params, body, record }) => ({
        data: await rotation.rotate(caller, params.keyId, body.overlapSeconds ?? 0, record),
      }),
      {
        permission: 'api-keys:create',
        organizationWide: true,
        resource: 'apiKey',
        params: KeyPath,
        find: (naming: Naming<typeof KeyPath>) => {
          assertMayEnd(naming.caller)
          return find(naming)
        },
        body: omissible(RotateKeyBody),
        response: { 201: dataOf(RotatedApiKey) },
        errors: ['invalid_transition', 'limit_exceeded', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'rotateApiKey',
          'Rotate an API key',
          'Creates a key with the name, operations, scope and expiry of the old one, and ends the old one ' +
            'after the overlap, in one transaction. The new key acts for the user who rotates it (`warnings` says so if ' +
            'that is another user), so rotation gives no more authority than creation. Also requires `api-keys:revoke`. ' +
            'A key can be rotated once; a rotated, revoked or expired key is 409. `secret` is shown only here.',
        ),
      },
    )
    .post(
      '/:keyId/revoke',
      async ({ caller, params, record }) => ({ data: await keys.revoke(caller, params.keyId, record) }),
      {
        permission: 'api-keys:revoke',
        organizationWide: true,
        resource: 'apiKey',
        // a leaked key must be revocable during a deletion
        whileDeleting: true,
        params: KeyPath,
        find,
        response: { 200: dataOf(ApiKey) },
        errors: ['concurrent_change'],
        detail: doc(
          'revokeApiKey',
          'Revoke an API key',
          'Permanent, and effective from the next request. Revoking again changes nothing.',
        ),
      },
    )
}
