/** The schemas of provider credentials; secrets are only accepted. Source: requirement 4.7; contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { vendorIds } from '../../platform/models/vendors.ts'
import { SecretText } from '../../platform/secrets/secret-text.ts'

const Provider = oneOf([...vendorIds, 'custom'], {
  description: 'The vendor that it is for; `custom` is for Connections.',
  examples: ['openai'],
})
const CredentialType = oneOf(['api_key', 'oauth', 'service_account', 'connection_string'], {
  description: 'The kind of secret.',
})

export const ProviderCredential = Type.Object(
  {
    id: Id('crd'),
    label: Type.String({ examples: ['Production key'] }),
    provider: Provider,
    credentialType: CredentialType,
    status: oneOf(['active', 'disabled', 'deleting'], { description: 'Only an active one is used.' }),
    expiresAt: nullable(Timestamp('From this time it cannot be used; null if it does not expire.')),
    currentVersion: Type.Integer({ minimum: 1, description: 'The newest version.' }),
    versions: Type.Array(
      Type.Object({
        version: Type.Integer({ minimum: 1 }),
        createdAt: Timestamp('When the version was created.'),
        revokedAt: Type.Optional(Timestamp('When the version was revoked; from then on nothing can use it.')),
      }),
      { description: 'All versions, oldest first; pins refer to one of them.' },
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When it was last changed or rotated.'),
  },
  { $id: 'ProviderCredential', description: 'A versioned secret of the organization; its value is never shown.' },
)
export type ProviderCredential = Static<typeof ProviderCredential>

const Secret = SecretText(1, 'The secret: 1 to 65,536 characters. It is never shown again.')
const expiry = 'In the future; null: it does not expire.'

export const NewCredential = Type.Object(
  {
    label: Name('A label for people.'),
    provider: Provider,
    credentialType: CredentialType,
    secret: Secret,
    expiresAt: Type.Optional(nullable(Timestamp(expiry))),
  },
  { $id: 'NewProviderCredential', description: 'A credential with its first secret.' },
)
export type NewCredential = Static<typeof NewCredential>

export const CredentialChanges = Type.Object(
  {
    label: Type.Optional(Name('A label for people.')),
    status: Type.Optional(oneOf(['active', 'disabled'])),
    expiresAt: Type.Optional(nullable(Timestamp(expiry))),
  },
  { $id: 'ProviderCredentialChanges', description: 'The fields to change; a new secret is a new version.' },
)
export type CredentialChanges = Static<typeof CredentialChanges>

export const NewCredentialVersion = Type.Object(
  { secret: Secret },
  { $id: 'NewProviderCredentialVersion', description: 'The next secret.' },
)

export const CredentialUse = Type.Object(
  {
    kind: oneOf(['connection', 'providerSetting']),
    id: Type.String({ description: 'The id of the Connection or the setting; for a Deployment, of the Agent.' }),
    name: Type.String({ description: 'The name of the Connection, or the slug of the Agent.', examples: ['Shop'] }),
    version: nullable(Type.Integer({ description: 'null: the current one when a revision is created.' })),
    deploymentId: nullable(
      Type.String({ description: 'The active Deployment that pins it; null for the current configuration.' }),
    ),
    project: Type.Object({ id: Id('prj'), slug: Type.String() }),
    environment: Type.Object({ id: Id('env'), kind: oneOf(['development', 'preview', 'production']) }),
  },
  { $id: 'ProviderCredentialUse', description: 'A use of a version of a credential.' },
)
export type CredentialUse = Static<typeof CredentialUse>

export const CredentialPath = Type.Object({
  ...OrganizationPath.properties,
  credentialId: Id('crd', 'The credential.'),
})

export const CredentialVersionPath = Type.Object({
  ...CredentialPath.properties,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'One of its versions.' }),
})
