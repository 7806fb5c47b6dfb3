/** API keys as the API shows and takes them. Source: requirement 5.4; contract 1, "API key", "Keys and organizations". */
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
  prefix: Type.String({ description: 'The beginning of the secret, to tell keys apart.', examples: ['trp_7hQ2'] }),
  operations: Type.Array(
    oneOf(permissions, {
      $id: 'Permission',
      description: 'What somebody may do; each operation names the one that it takes.',
    }),
    {
      description: 'What the key may do, as far as its creator may at that moment.',
    },
  ),
  ...scopeOfKey,
  createdBy: Id('usr', 'The user whose permissions the key has, within its operations.'),
  expiresAt: Timestamp('From then on the key is refused.'),
  lastUsedAt: nullable(Timestamp('The last use, to the minute.')),
  status: oneOf(['active', 'revoked'], { description: 'A key that has expired stays as it is; see `expiresAt`.' }),
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
    message: Type.String({ description: 'What to know, for people.' }),
  },
  { $id: 'ApiKeyWarning', description: 'Something that whoever makes this key should know.' },
)

const createdProperties = {
  ...keyProperties,
  secret: Type.String({
    pattern: '^trp_[0-9A-Za-z]{49}$',
    description: 'What the key is used with, as `Authorization: Bearer …`. Shown only this once.',
  }),
  warnings: Type.Optional(
    Type.Array(KeyWarning, { description: 'What to know about this key; absent when there is nothing.' }),
  ),
}

export const CreatedApiKey = Type.Object(createdProperties, {
  $id: 'CreatedApiKey',
  description: 'A new key with its secret.',
})
export type CreatedApiKey = typeof CreatedApiKey.static

export const RotatedApiKey = Type.Object(
  { ...createdProperties, previous: ApiKey },
  { $id: 'RotatedApiKey', description: 'A new key with its secret, and the one whose place it takes.' },
)
export type RotatedApiKey = typeof RotatedApiKey.static

export const overlapSecondsMax = 604_800

export const RotateKeyBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        default: 0,
        description: 'How long the old key goes on, a week at most and never beyond its end; 0 revokes it at once.',
      }),
    ),
  },
  { $id: 'ApiKeyRotation', description: 'How the old key ends.' },
)

export const KeyPath = Type.Object({ keyId: Id('key', 'The key.') })

export const CreateKeyBody = Type.Object(
  {
    name: Name(),
    operations: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Permission names; `family:*` and `*` stand for all that there are today.',
      examples: [['agent-runs:*', 'projects:get']],
    }),
    projectId: Type.Optional(Id('prj', 'Binds the key to a Project.')),
    environmentId: Type.Optional(Id('env', 'Binds the key to an Environment; needs `projectId`.')),
    agentId: Type.Optional(Id('agt', 'Binds the key to an Agent; needs `projectId`.')),
    expiresAt: Type.Optional(Timestamp('At most 366 days ahead; 90 days from now unless given.')),
  },
  { $id: 'NewApiKey', description: 'What the key may do, and where.' },
)
export type CreateKeyBody = typeof CreateKeyBody.static

export const ChangeKeyBody = Type.Object(
  {
    name: Type.Optional(Name()),
    expiresAt: Type.Optional(Timestamp('In the future, and not later than it is now.')),
  },
  { $id: 'ApiKeyChanges', description: 'What is to change; the rest stays.' },
)
export type ChangeKeyBody = typeof ChangeKeyBody.static
