/** The schemas of API keys. Source: requirement 5.4; contract 1, "API key", "Keys and organizations". */
import { Type } from '@sinclair/typebox'
import { permissions } from '../../platform/http/guard/permissions.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

const scopeOfKey = {
  projectId: nullable(Id('prj', 'The Project that the key is bound to.')),
  environmentId: nullable(Id('env', 'The Environment of the Project that the key is bound to.')),
  agentId: nullable(Id('agt', 'The Agent of the Project that the key is bound to.')),
}

const keyProperties = {
  id: Id('key'),
  name: Name(),
  prefix: Type.String({
    description: 'The first characters of the secret, to tell keys apart.',
    examples: ['trp_7hQ2'],
  }),
  operations: Type.Array(
    oneOf(permissions, {
      $id: 'Permission',
      description: 'A permission; each operation names the one that it requires.',
    }),
    {
      description: 'The permissions of the key, as far as its creator has them at that time.',
    },
  ),
  ...scopeOfKey,
  createdBy: Id('usr', 'The user whose permissions the key has, within its operations.'),
  expiresAt: Timestamp('The key is refused from this time.'),
  lastUsedAt: nullable(Timestamp('The last use, to the minute.')),
  status: oneOf(['active', 'revoked'], { description: 'Expiry does not change the status; see `expiresAt`.' }),
  createdAt: Timestamp('Creation'),
}

export const ApiKey = Type.Object(keyProperties, {
  $id: 'ApiKey',
  description: 'A credential for a program, without its secret.',
})
export type ApiKey = typeof ApiKey.static

const KeyWarning = Type.Object(
  {
    code: oneOf(['creates_keys', 'acts_for_another_user']),
    message: Type.String({ description: 'The warning, for people.' }),
  },
  { $id: 'ApiKeyWarning', description: 'A warning about a new key.' },
)

const createdProperties = {
  ...keyProperties,
  secret: Type.String({
    pattern: '^trp_[0-9A-Za-z]{49}$',
    description: 'Sent as `Authorization: Bearer …`. Shown only once.',
  }),
  warnings: Type.Optional(
    Type.Array(KeyWarning, { description: 'Warnings about this key; absent if there are none.' }),
  ),
}

export const CreatedApiKey = Type.Object(createdProperties, {
  $id: 'CreatedApiKey',
  description: 'A new key with its secret.',
})
export type CreatedApiKey = typeof CreatedApiKey.static

export const RotatedApiKey = Type.Object(
  { ...createdProperties, previous: ApiKey },
  { $id: 'RotatedApiKey', description: 'A new key with its secret, and the key that it replaces.' },
)
export type RotatedApiKey = typeof RotatedApiKey.static

const overlapSecondsMax = 604_800

export const RotateKeyBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        default: 0,
        description:
          'How long the old key stays valid: at most a week and never beyond its expiry; 0 revokes it at once.',
      }),
    ),
  },
  { $id: 'ApiKeyRotation', description: 'The rotation of a key.' },
)

export const KeyPath = Type.Object({ keyId: Id('key', 'The key.') })

export const CreateKeyBody = Type.Object(
  {
    name: Name(),
    operations: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 200,
      description: 'Permission names; `family:*` and `*` expand to all that exist today.',
      examples: [['agent-runs:*', 'projects:get']],
    }),
    projectId: Type.Optional(Id('prj', 'Binds the key to a Project.')),
    environmentId: Type.Optional(Id('env', 'Binds the key to an Environment; requires `projectId`.')),
    agentId: Type.Optional(Id('agt', 'Binds the key to an Agent; requires `projectId`.')),
    expiresAt: Type.Optional(Timestamp('At most 366 days ahead; default 90 days from now.')),
  },
  { $id: 'NewApiKey', description: 'A new API key.' },
)
export type CreateKeyBody = typeof CreateKeyBody.static

export const ChangeKeyBody = Type.Object(
  {
    name: Type.Optional(Name()),
    expiresAt: Type.Optional(Timestamp('In the future, and not later than the current expiry.')),
  },
  { $id: 'ApiKeyChanges', description: 'The fields to change.' },
)
export type ChangeKeyBody = typeof ChangeKeyBody.static
