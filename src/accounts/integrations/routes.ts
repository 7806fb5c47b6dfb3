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
const asks = 'Sends the provider an invalid authorization code, with a timeout of 10 seconds:'

interface IntegrationRoutesParts extends Omit<IntegrationParts, 'probe'> {
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
        'All integrations of the organization, newest first, without their secrets: at most one for each preset.',
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
        `${asks} the answer \`invalid_grant\` proves that it knows the client, which is then stored with its secret ` +
          'encrypted. With any other answer nothing is stored. An organization has one integration for each preset.',
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
          'Rotate the client or the secret of an integration',
          'Verifies the client as registration does. On success the next version becomes current and the integration is ' +
            '`active`; on failure nothing changes. Flows in progress keep their version.',
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
          'Deletes all versions of its client. Connections made with it remain, but their tokens are no longer renewed.',
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
          `${asks} a definite answer is stored and returned with 200, success as \`active\`, refusal as ` +
            '`misconfigured`. If the provider cannot be reached, nothing changes.',
        ),
      },
    )
}
