/** The routes of provider settings. Source: requirement 4.10; contract 4. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, omissible, pageOf } from '../../platform/http/schema.ts'
import { NewProviderSetting, ProviderSetting, ProviderSettingChanges, ProviderSettingPath } from './schema.ts'
import { type ProviderSettingParts, ProviderSettings } from './service.ts'

const resource = 'providerSetting'

export function providerSettingRoutes({ guarded, ...parts }: ProviderSettingParts & { guarded: Guarded }) {
  const settings = new ProviderSettings(parts)
  const find = ({ caller, params }: Naming<typeof ProviderSettingPath>) => settings.get(caller, params)
  return new Elysia({
    name: 'provider-settings',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/agents/:agentId/provider-settings',
    tags: ['Agents'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => settings.list(caller, params, query), {
      permission: 'projects:get',
      params: AgentInEnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(ProviderSetting) },
      errors: ['invalid_cursor'],
      detail: doc(
        'listProviderSettings',
        'List provider settings',
        'The setting of the Agent in the Environment, if there is one.',
      ),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({ data: await settings.create(caller, params, body, record) }),
      {
        permission: 'projects:update',
        resource,
        params: AgentInEnvironmentPath,
        body: omissible(NewProviderSetting),
        response: { 200: dataOf(ProviderSetting) },
        errors: ['setting_exists', 'deletion_in_progress'],
        detail: doc(
          'createProviderSetting',
          'Choose a model for an Agent',
          'At most one for each Agent in an Environment; without one the platform default is used. It applies once a ' +
            'Configuration Revision with it is deployed and activated. A credential must be one for the provider; while ' +
            'it is disabled or has expired, runs fail.',
        ),
      },
    )
    .get('/:settingId', async ({ caller, params }) => ({ data: await settings.get(caller, params) }), {
      permission: 'projects:get',
      params: ProviderSettingPath,
      find,
      response: { 200: dataOf(ProviderSetting) },
      detail: doc(
        'getProviderSetting',
        'Get a provider setting',
        'The current setting; Deployments may pin an earlier one.',
      ),
    })
    .patch(
      '/:settingId',
      async ({ caller, params, body, record }) => ({ data: await settings.change(caller, params, body, record) }),
      {
        permission: 'projects:update',
        resource,
        params: ProviderSettingPath,
        find,
        body: ProviderSettingChanges,
        response: { 200: dataOf(ProviderSetting) },
        errors: ['deletion_in_progress'],
        detail: doc(
          'updateProviderSetting',
          'Change a provider setting',
          'The result must be valid as a whole: model and credential must belong to the provider.',
        ),
      },
    )
    .delete(
      '/:settingId',
      async ({ caller, params, record }) => ({ data: await settings.remove(caller, params, record) }),
      {
        permission: 'projects:update',
        resource,
        params: ProviderSettingPath,
        find,
        response: { 200: dataOf(ProviderSetting) },
        errors: ['deletion_in_progress'],
        detail: doc(
          'deleteProviderSetting',
          'Delete a provider setting',
          'Returns the deleted setting. Deployments keep their copies.',
        ),
      },
    )
}
