/** The schemas of provider settings. Source: requirement 2, 4.10; contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { ReasoningBudget } from '../../authoring/agents/content.ts'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { modelSettings } from '../../platform/models/model-settings.ts'
import { vendorIds } from '../../platform/models/vendors.ts'

const Model = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$',
  description: "A model of the provider; null: the provider's default.",
  examples: ['gpt-5.5'],
})
const Provider = oneOf(vendorIds, { description: 'The provider of the model; null: the platform default.' })
const Version = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description })
const Settings = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The settings of the model.',
    examples: [{ temperature: 0.2, maxOutputTokens: 4096 }],
  },
)
export const NewSettings = Type.Object(
  { ...modelSettings, reasoningBudget: Type.Optional(ReasoningBudget) },
  { description: 'The settings of the model.', examples: [{ temperature: 0.2, maxOutputTokens: 4096 }] },
)
const SettingId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Unique in the deployment.',
})

export const ProviderSetting = Type.Object(
  {
    settingId: SettingId,
    agentId: Id('agt', 'The Agent of the setting.'),
    provider: nullable(Provider),
    model: nullable(Model),
    settings: Settings,
    providerCredentialId: nullable(Id('crd', 'The credential for the provider.')),
    providerCredentialVersion: nullable(
      Version('A version of it; null: the current one when a Configuration Revision is created.'),
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'ProviderSetting', description: 'The model of an Agent in an Environment.' },
)
export type ProviderSetting = Static<typeof ProviderSetting>

const fields = {
  provider: Type.Optional(nullable(Provider)),
  model: Type.Optional(nullable(Model)),
  settings: Type.Optional(NewSettings),
  providerCredentialId: Type.Optional(nullable(Id('crd', 'A credential of the organization for this provider.'))),
  providerCredentialVersion: Type.Optional(
    nullable(Version('A version of that credential; null: the current one when a revision is created.')),
  ),
}

export const NewProviderSetting = Type.Object(fields, {
  $id: 'NewProviderSetting',
  description: 'Omitted fields are null, omitted settings `{}`.',
})
export const ProviderSettingChanges = Type.Object(fields, {
  $id: 'ProviderSettingChanges',
  description:
    'The fields to change; null removes a value. A new credential without a version is used at its current one.',
})
export type ProviderSettingFields = Static<typeof NewProviderSetting>

export const ProviderSettingPath = Type.Object({ ...AgentInEnvironmentPath.properties, settingId: SettingId })
