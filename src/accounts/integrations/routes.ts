/** Organization integrations over HTTP. Source: requirement 4.8; contract 4. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, itemsOf } from '../../platform/http/schema.ts'
import { OutboundClient } from '../../platform/outbound/client.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import { ClientProbe } from './probe.ts'
import { probeErrors } from './refusals.ts'
import { Integration, IntegrationChanges, IntegrationPath, newIntegration, Verification } from './schema.ts'
import { type IntegrationParts, Integrations } from './service.ts'

const resource = 'integration'
const asks = 'The provider is asked, within 10 seconds, with an authorization code that cannot be one:'

export interface IntegrationRoutesParts extends Omit<IntegrationParts, 'probe'> {
  guarded: Guarded
  outboundPolicy: OutboundPolicy
}

export function integrationRoutes(parts: IntegrationRoutesParts) {
  const { clock, outboundPolicy, presets } = parts
  const probe = new ClientProbe({ outbound: new OutboundClient(outboundPolicy), clock })
  const integrations = new Integrations({ ...parts, probe })
  const find = ({ caller, params }: Naming<typeof IntegrationPath>) => integrations.get(caller, params.integrationId)
  return new Elysia({
    name: 'integrations',
    prefix: '/api/v1/organizations/:organizationIdOrSlug/integrations',
    tags: ['Integrations'],
  })
    .use(parts.guarded)
    .get('', async ({ caller }) => ({ data: await integrations.list(caller) }), {
      permission: 'organization-integrations:list',
      foreignIsForbidden: true,
      params: OrganizationPath,
      response: { 200: itemsOf(Integration) },
      detail: doc(
        'listIntegrations',
        'List integrations',
        'All of the organization, newest first, without their secrets: at most one for each preset.',
      ),
    })
    .post('', async ({ caller, body, record }) => ({ data: await integrations.register(caller, body, record) }), {
      permission: 'organization-integrations:create',
      resource,
      params: OrganizationPath,
      body: newIntegration(presets.keys),
      response: { 200: dataOf(Integration) },
      errors: ['integration_exists', ...probeErrors],
      detail: doc(
        'registerIntegration',
        'Register an integration',
        `${asks} \`invalid_grant\` says that it knows the client, which is then stored with its secret encrypted. ` +
          'With any other answer nothing is stored. An organization has one integration for each preset.',
      ),
    })
    .get(
      '/:integrationId',
      async ({ caller, params }) => ({ data: await integrations.get(caller, params.integrationId) }),
      {
        permission: 'organization-integrations:get',
        params: IntegrationPath,
        find,
        response: { 200: dataOf(Integration) },
        detail: doc('getIntegration', 'Get an integration', 'Without its secret.'),
      },
    )
    .patch(
      '/:integrationId',
      async ({ caller, params, body, record }) => ({
        data: await integrations.rotate(caller, params.integrationId, body, record),
      }),
      {
        permission: 'organization-integrations:update',
        resource,
        params: IntegrationPath,
        find,
        body: IntegrationChanges,
        response: { 200: dataOf(Integration) },
        errors: ['preset_removed', 'limit_exceeded', ...probeErrors],
        detail: doc(
          'rotateIntegration',
          'Give an integration another client or secret',
          'The provider is asked as when it is registered. On success the next version is the current one, and the ' +
            'integration is `active`; on any failure it stays as it was. Flows that have begun go on with their version.',
        ),
      },
    )
    .delete(
      '/:integrationId',
      ({ caller, params, record }) => integrations.remove(caller, params.integrationId, record),
      {
        permission: 'organization-integrations:delete',
        resource,
        params: IntegrationPath,
        find,
        response: { 204: Type.Void() },
        detail: doc(
          'deleteIntegration',
          'Delete an integration',
          'With all versions of its client. Connections that were made with it stay; their tokens are not renewed any more.',
        ),
      },
    )
    .post(
      '/:integrationId/verify',
      async ({ caller, params, record }) => ({ data: await integrations.verify(caller, params.integrationId, record) }),
      {
        permission: 'organization-integrations:verify',
        resource,
        params: IntegrationPath,
        find,
        response: { 200: dataOf(Verification) },
        errors: ['preset_removed', 'provider_rate_limited', 'provider_unavailable'],
        detail: doc(
          'verifyIntegration',
          'Verify an integration',
          `${asks} what it says for certain is kept, success as \`active\`, refusal as \`misconfigured\`, and answered ` +
            'with 200. When it cannot be asked, nothing changes.',
        ),
      },
    )
}
