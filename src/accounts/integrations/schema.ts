/** Integrations as clients see them. Source: requirement 2, 4.8; contract 4, `Integration`. */
import { type Static, Type } from '@sinclair/typebox'
import { type IntegrationContext, type IntegrationState, integrationStates } from '../../../machines/integration.ts'
import type { IntegrationRow } from '../../../storage/tables.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { PresetKey } from '../presets/preset.ts'

const ClientId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,512}$',
  description: 'The client id that the provider has given.',
  fault: 'Must have 1 to 512 printable ASCII characters and no spaces.',
  examples: ['1234567890-abc.apps.googleusercontent.com'],
})
const ClientSecret = Type.String({
  pattern: '^[\\x20-\\x7e]{1,2048}$',
  writeOnly: true,
  description: 'The client secret that the provider has given. It is never shown again.',
  fault: 'Must have 1 to 2048 printable ASCII characters.',
})

const outcomes = ['verified', 'failed'] as const
const RefusalReason = Type.String({
  description: 'The error code that says why the provider refuses the client.',
  examples: ['integration_invalid_client'],
})

export const Integration = Type.Object(
  {
    id: Id('int'),
    presetKey: PresetKey,
    clientId: ClientId,
    status: oneOf(integrationStates, {
      description: 'While it is `misconfigured`, no consent can be started with it.',
    }),
    verifiedAt: nullable(Timestamp('When the provider last knew the client.')),
    lastVerification: nullable(
      Type.Object(
        {
          outcome: oneOf(outcomes, { description: 'How it ended.' }),
          code: nullable(RefusalReason),
          message: Type.String({ description: 'The same for people.' }),
          at: Timestamp(),
        },
        { description: 'When the provider last gave a definite answer about the client.' },
      ),
    ),
    currentVersion: Type.Object(
      { id: Id('inv'), number: Type.Integer({ minimum: 1 }) },
      { description: 'The client that new flows use; a rotation adds a version.' },
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Integration', description: "The organization's own OAuth client at a provider; its secret is never shown." },
)
export type Integration = Static<typeof Integration>

export const Verification = Type.Object(
  {
    integration: Integration,
    outcome: oneOf(outcomes, { description: 'Whether the provider knows the client.' }),
    reason: Type.Optional(
      Type.Object(
        {
          code: RefusalReason,
          message: Type.String(),
          providerError: nullable(
            Type.String({ description: "The provider's own error code, where it is a known one." }),
          ),
          httpStatus: Type.Integer({ description: "The status of the provider's answer." }),
        },
        { description: 'Why it failed; absent when it did not.' },
      ),
    ),
  },
  { $id: 'IntegrationVerification', description: "The provider's last definite answer about the client." },
)
export type Verification = Static<typeof Verification>

/** The catalogue says which keys there are. */
export const newIntegration = (presetKeys: readonly string[]) =>
  Type.Object(
    {
      presetKey: oneOf(presetKeys, { description: 'A preset of the catalogue.' }),
      clientId: ClientId,
      clientSecret: ClientSecret,
    },
    { $id: 'NewIntegration', description: 'The client that the organization has made at the provider.' },
  )
export type NewIntegration = Static<ReturnType<typeof newIntegration>>

export const IntegrationChanges = Type.Object(
  { clientId: Type.Optional(ClientId), clientSecret: Type.Optional(ClientSecret) },
  { $id: 'IntegrationChanges', description: 'The fields to change; others remain.' },
)
export type IntegrationChanges = Static<typeof IntegrationChanges>

export const IntegrationPath = Type.Object({ ...OrganizationPath.properties, integrationId: Id('int') })

export function presentIntegration(row: IntegrationRow): Integration {
  const { verifiedAt, lastVerification } = JSON.parse(row.context) as IntegrationContext
  return {
    id: row.id,
    presetKey: row.preset_key,
    clientId: row.client_id,
    status: row.state as IntegrationState,
    verifiedAt: timestamp(verifiedAt),
    lastVerification: { ...lastVerification, at: timestamp(lastVerification.at) },
    currentVersion: { id: row.current_version_id, number: row.current_version },
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}
