/** API keys over HTTP. Source: requirement 5.4; contract 1. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { treeIn } from '../projects/tree.ts'
import { KeyRotation } from './rotation.ts'
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
        'All keys of the organization, newest first; revoked and expired ones too.',
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
        'The key acts for the user who creates it: it may do its operations as far as that user may at that moment, ' +
          'within what it is bound to. The operations of the credential that creates it do not limit it. ' +
          '`secret` is shown only here. `warnings` tells of a key that may create others.',
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
          'Rename an API key, or end it earlier',
          'What it may do never changes: create another key for that. A life is only ever shortened.',
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
        find,
        body: RotateKeyBody,
        response: { 201: dataOf(RotatedApiKey) },
        errors: ['invalid_transition', 'limit_exceeded', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'rotateApiKey',
          'Rotate an API key',
          'Makes a new key with the name, the operations, the scope and the end of the old one, and ends the old one ' +
            'after the overlap, both or neither. The new key acts for the user who rotates it (`warnings` says so where ' +
            'that is another one): rotating gives nobody more than creating a key would. It takes `api-keys:revoke` ' +
            'too. A key is rotated once: one that is rotated, revoked or expired is 409. `secret` is shown only here.',
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
        // a key that has leaked must not outlive the wait for a deletion
        whileDeleting: true,
        params: KeyPath,
        find,
        response: { 200: dataOf(ApiKey) },
        errors: ['concurrent_change'],
        detail: doc(
          'revokeApiKey',
          'Revoke an API key',
          'For good, and from the very next request on. Revoking again is fine.',
        ),
      },
    )
}
