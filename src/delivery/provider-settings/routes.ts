/** Provider settings over HTTP. Source: requirement 4.10; contract 4. */
import { Elysia } from 'elysia'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { NewProviderSetting, ProviderSetting, ProviderSettingChanges, ProviderSettingPath } from './schema.ts'
import { type ProviderSettingParts, ProviderSettings } from './service.ts'

const resource = 'providerSetting'
const tags = ['Agents']

export function providerSettingRoutes({ guarded, ...parts }: ProviderSettingParts & { guarded: Guarded }) {
  const settings = new ProviderSettings(parts)
  const find = ({ caller, params }: Naming<typeof ProviderSettingPath>) => settings.get(caller, params)
  return new Elysia({
    name: 'provider-settings',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/agents/:agentId/provider-settings',
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => settings.list(caller, params, query), {
      permission: 'projects:get',
      params: AgentInEnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(ProviderSetting) },
      errors: ['invalid_cursor'],
      detail: {
        operationId: 'listProviderSettings',
        summary: 'List provider settings',
        description: 'Of the Agent in the Environment: at most one.',
        tags,
      },
    })
    .post('', async ({ caller, params, body, keep }) => ({ data: await settings.create(caller, params, body, keep) }), {
      permission: 'projects:update',
      resource,
      params: AgentInEnvironmentPath,
      body: NewProviderSetting,
      response: { 200: dataOf(ProviderSetting) },
      errors: ['setting_exists', 'deletion_in_progress'],
      detail: {
        operationId: 'createProviderSetting',
        summary: 'Choose a model for an Agent',
        description:
          'At most one for each Agent in an Environment; without one the platform default is used. It counts once a ' +
          'Configuration Revision with it is deployed and activated. A credential must be one for the provider; while ' +
          'it is disabled or has expired, runs fail.',
        tags,
      },
    })
    .get('/:settingId', async ({ caller, params }) => ({ data: await settings.get(caller, params) }), {
      permission: 'projects:get',
      params: ProviderSettingPath,
      find,
      response: { 200: dataOf(ProviderSetting) },
      detail: {
        operationId: 'getProviderSetting',
        summary: 'Get a provider setting',
        description: 'As it is now; what is deployed may hold an earlier one.',
        tags,
      },
    })
    .patch(
      '/:settingId',
      async ({ caller, params, body, keep }) => ({ data: await settings.change(caller, params, body, keep) }),
      {
        permission: 'projects:update',
        resource,
        params: ProviderSettingPath,
        find,
        body: ProviderSettingChanges,
        response: { 200: dataOf(ProviderSetting) },
        errors: ['deletion_in_progress'],
        detail: {
          operationId: 'updateProviderSetting',
          summary: 'Change a provider setting',
          description: 'What comes of it must be valid as a whole: model and credential are those of the provider.',
          tags,
        },
      },
    )
    .delete(
      '/:settingId',
      async ({ caller, params, keep }) => ({ data: await settings.remove(caller, params, keep) }),
      {
        permission: 'projects:update',
        resource,
        params: ProviderSettingPath,
        find,
        response: { 200: dataOf(ProviderSetting) },
        errors: ['deletion_in_progress'],
        detail: {
          operationId: 'deleteProviderSetting',
          summary: 'Delete a provider setting',
          description: 'Answers it as it was. What is deployed keeps its copy.',
          tags,
        },
      },
    )
}
