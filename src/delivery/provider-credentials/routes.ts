/** The routes of provider credentials. None of the operations lists a 403. Source: requirement 4.7. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrors } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { queryByLabel } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, itemsOf } from '../../platform/http/schema.ts'
import {
  CredentialChanges,
  CredentialPath,
  CredentialUse,
  CredentialVersionPath,
  NewCredential,
  NewCredentialVersion,
  ProviderCredential,
} from './schema.ts'
import { Credentials, type CredentialsParts } from './service.ts'

const hidden = true
const resource = 'providerCredential'

export function credentialRoutes(parts: CredentialsParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(parts.idempotency)
  const credentials = new Credentials(parts)
  const find = ({ caller, params }: Naming<typeof CredentialPath>) => credentials.get(caller, params.credentialId)
  return new Elysia({
    name: 'provider-credentials',
    prefix: '/api/v1/organizations/:organizationIdOrSlug/provider-credentials',
    tags: ['Provider credentials'],
  })
    .use(parts.guarded)
    .get('', async ({ caller, query }) => ({ data: await credentials.list(caller, query) }), {
      permission: 'provider-credentials:list',
      hidden,
      params: OrganizationPath,
      query: queryByLabel,
      response: { 200: itemsOf(ProviderCredential) },
      detail: doc(
        'listProviderCredentials',
        'List provider credentials',
        'All of the organization (at most 200), newest first, without their secrets.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 200,
          work: ({ caller, body }, record) => credentials.create(caller, body, record),
          fingerprint: async ({ caller, body: { secret, ...rest } }) => [
            rest,
            await parts.vault.digest(caller.organizationId, secret),
          ],
          listsConflict: false,
        }),
      {
        permission: 'provider-credentials:create',
        hidden,
        resource,
        params: OrganizationPath,
        body: NewCredential,
        headers: IdempotencyHeader,
        response: { 200: dataOf(ProviderCredential) },
        errors: [...keyErrors, 'limit_exceeded'],
        detail: doc(
          'createProviderCredential',
          'Create a provider credential',
          'The secret becomes version 1. It is stored encrypted and appears in no answer. An organization has at most ' +
            '200 credentials.',
        ),
      },
    )
    .get(
      '/:credentialId',
      async ({ caller, params }) => ({ data: await credentials.get(caller, params.credentialId) }),
      {
        permission: 'provider-credentials:get',
        hidden,
        params: CredentialPath,
        find,
        response: { 200: dataOf(ProviderCredential) },
        detail: doc('getProviderCredential', 'Get a provider credential', 'Without its secret.'),
      },
    )
    .patch(
      '/:credentialId',
      async ({ caller, params, body, record }) => ({
        data: await credentials.change(caller, params.credentialId, body, record),
      }),
      {
        permission: 'provider-credentials:update',
        hidden,
        resource,
        params: CredentialPath,
        find,
        body: CredentialChanges,
        response: { 200: dataOf(ProviderCredential) },
        detail: doc(
          'updateProviderCredential',
          'Change a provider credential',
          'Changes label, status and expiry. While it is disabled or expired nothing can use it: everything that pins one of its ' +
            'versions fails.',
        ),
      },
    )
    .delete(
      '/:credentialId',
      async ({ caller, params, record }) => credentials.remove(caller, params.credentialId, record),
      {
        permission: 'provider-credentials:delete',
        hidden,
        resource,
        params: CredentialPath,
        find,
        response: { 200: Type.Void({ description: 'Deleted; no body.' }) },
        errors: ['credential_in_use', 'deletion_in_progress'],
        detail: doc(
          'deleteProviderCredential',
          'Delete a provider credential',
          'Deletes all of its versions. Refused while an active Deployment pins one of them: `details.dependents` has the first 20.',
        ),
      },
    )
    .post(
      '/:credentialId/versions',
      async ({ caller, params, body, record }) => ({
        data: await credentials.rotate(caller, params.credentialId, body.secret, record),
      }),
      {
        permission: 'provider-credentials:versions:create',
        hidden,
        resource,
        params: CredentialPath,
        find,
        body: NewCredentialVersion,
        response: { 200: dataOf(ProviderCredential) },
        errors: ['limit_exceeded'],
        detail: doc(
          'createProviderCredentialVersion',
          'Rotate a provider credential',
          'Creates the next version, for future configuration; existing pins keep their versions. A credential ' +
            'has at most 100 versions.',
        ),
      },
    )
    .get(
      '/:credentialId/uses',
      async ({ caller, params }) => ({ data: await credentials.uses(caller, params.credentialId) }),
      {
        permission: 'provider-credentials:get',
        hidden,
        params: CredentialPath,
        find,
        response: { 200: itemsOf(CredentialUse) },
        detail: doc(
          'listProviderCredentialUses',
          'List the uses of a provider credential',
          'The Connections and provider settings that refer to it (at most 1,000), and those that active Deployments ' +
            '(at most 50) pin it for: by name, each with its version.',
        ),
      },
    )
    .post(
      '/:credentialId/versions/:version/revoke',
      async ({ caller, params, record }) => ({
        data: await credentials.revoke(caller, params.credentialId, params.version, record),
      }),
      {
        permission: 'provider-credentials:update',
        hidden,
        resource,
        params: CredentialVersionPath,
        find: ({ caller, params }: Naming<typeof CredentialVersionPath>) =>
          credentials.findVersion(caller, params.credentialId, params.version),
        response: { 200: dataOf(ProviderCredential) },
        detail: doc(
          'revokeProviderCredentialVersion',
          'Revoke a version of a provider credential',
          'Permanent: nothing can use that version any more, even if it is pinned. Other versions are not affected. Revoking ' +
            'again changes nothing.',
        ),
      },
    )
}
