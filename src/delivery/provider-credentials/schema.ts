/** Provider credentials as the API shows and takes them; a secret is only ever taken. Source: requirement 4.7; contract 4. */
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
  description: 'What the secret is.',
})

export const ProviderCredential = Type.Object(
  {
    id: Id('crd'),
    label: Type.String({ examples: ['Production key'] }),
    provider: Provider,
    credentialType: CredentialType,
    status: oneOf(['active', 'disabled', 'deleting'], { description: 'Only an active one is used.' }),
    expiresAt: nullable(Timestamp('From then on it is not used; null: never.')),
    currentVersion: Type.Integer({ minimum: 1, description: 'The newest version.' }),
    versions: Type.Array(
      Type.Object({
        version: Type.Integer({ minimum: 1 }),
        createdAt: Timestamp('When the secret came.'),
        revokedAt: Type.Optional(Timestamp('Of a revoked one: from then on nothing uses it, whatever pins it.')),
      }),
      { description: 'Every secret that it has had, oldest first; pins name one of them.' },
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When it was changed or got another secret.'),
  },
  { $id: 'ProviderCredential', description: 'A versioned secret of the organization; its value is never shown.' },
)
export type ProviderCredential = Static<typeof ProviderCredential>

const Secret = SecretText(1, 'The secret: 1 to 65,536 characters. It is never shown again.')
const expiry = 'In the future; null: it does not expire.'

export const NewCredential = Type.Object(
  {
    label: Name('What people call it.'),
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
    label: Type.Optional(Name('What people call it.')),
    status: Type.Optional(oneOf(['active', 'disabled'])),
    expiresAt: Type.Optional(nullable(Timestamp(expiry))),
  },
  { $id: 'ProviderCredentialChanges', description: 'What is to change; another secret is another version.' },
)
export type CredentialChanges = Static<typeof CredentialChanges>

export const NewCredentialVersion = Type.Object(
  { secret: Secret },
  { $id: 'NewProviderCredentialVersion', description: 'The next secret.' },
)

export const CredentialUse = Type.Object(
  {
    kind: oneOf(['connection', 'providerSetting']),
    id: Type.String({ description: 'Of the Connection or the setting; of the Agent, where a Deployment serves.' }),
    name: Type.String({ description: 'Of the Connection, or the slug of the Agent.', examples: ['Shop'] }),
    version: nullable(Type.Integer({ description: 'null: the one that is current when a revision is taken.' })),
    deploymentId: nullable(
      Type.String({ description: 'The Deployment that serves with it; null: as configured now.' }),
    ),
    project: Type.Object({ id: Id('prj'), slug: Type.String() }),
    environment: Type.Object({ id: Id('env'), kind: oneOf(['development', 'preview', 'production']) }),
  },
  { $id: 'ProviderCredentialUse', description: 'Who pins a version of a credential.' },
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
