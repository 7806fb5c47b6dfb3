/** Connections as the API shows and takes them. What their credential is, is never shown. Source: requirement 2, 4.3; contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { Settings } from './settings-schema.ts'

const Kind = oneOf(['http', 'database', 'object_storage', 'messaging', 'custom'], {
  description: 'What it leads to; never changes.',
})
const BindingKey = Type.String({
  pattern: '^[a-zA-Z0-9_.-]{1,64}$',
  description: 'What the Agent calls it.',
  examples: ['shop'],
})

export const Connection = Type.Object(
  {
    id: Id('con'),
    environmentId: Id('env'),
    name: Type.String({ description: 'Unique in the Environment.', examples: ['Shop'] }),
    kind: Kind,
    status: oneOf(['active', 'disabled', 'deleting'], { description: 'Only an active one is used.' }),
    statusReason: nullable(Type.String({ description: 'Why the server has disabled it.' })),
    settings: Type.Object({}, { additionalProperties: true, description: 'Those of the current version.' }),
    agentId: nullable(Id('agt', 'The Agent that it is bound to.')),
    bindingKey: nullable(Type.String({ description: 'What that Agent calls it.' })),
    currentVersion: Type.Object(
      { id: Id('cnv'), number: Type.Integer({ minimum: 1 }), createdAt: Timestamp() },
      { description: 'The version that a Configuration Revision would take now.' },
    ),
    oauth: Type.Optional(
      Type.Object(
        {
          presetKey: Type.String({
            description: 'The preset that it was connected by.',
            examples: ['google-workspace'],
          }),
          scopes: Type.Array(Type.String(), { description: 'The scopes as they were granted.' }),
          account: Type.Object(
            { id: Type.String(), label: Type.String({ examples: ['ada@example.com'] }) },
            { description: 'Whose consent it was, as the provider names the account.' },
          ),
        },
        { description: 'The consent behind the current version; only where it was connected by OAuth.' },
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Connection', description: 'A way to an outside service: where it is, without its credential.' },
)
export type Connection = Static<typeof Connection>

const CredentialId = nullable(Id('crd', 'A provider credential of the organization; null: none.'))
const CredentialVersion = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description:
        'A version of that credential; null: the one that is current when a Configuration Revision is taken.',
    }),
  ),
)
const binding = {
  agentId: Type.Optional(nullable(Id('agt', 'An Agent of the Project, together with `bindingKey`.'))),
  bindingKey: Type.Optional(nullable(BindingKey)),
}

export const NewConnection = Type.Object(
  {
    name: Name('Unique in the Environment.'),
    kind: Kind,
    settings: Settings,
    providerCredentialId: Type.Optional(CredentialId),
    providerCredentialVersion: CredentialVersion,
    ...binding,
  },
  { $id: 'NewConnection', description: 'A Connection with its first version.' },
)
export type NewConnection = Static<typeof NewConnection>

export const ConnectionChanges = Type.Object(
  {
    name: Type.Optional(Name('Unique in the Environment.')),
    status: Type.Optional(oneOf(['active', 'disabled'])),
    version: Type.Optional(
      Type.Object(
        {
          providerCredentialId: Type.Optional(CredentialId),
          providerCredentialVersion: CredentialVersion,
          settings: Type.Optional(Settings),
        },
        {
          description:
            'The next version. Without `settings` it takes those of the version before. `providerCredentialId` is ' +
            'required where the Connection has a credential; one that was made by OAuth keeps its consent and takes none.',
        },
      ),
    ),
    ...binding,
  },
  {
    $id: 'ConnectionChanges',
    description: 'What is to change. `agentId` and `bindingKey` go together; both null unbind.',
  },
)
export type ConnectionChanges = Static<typeof ConnectionChanges>

export const BindingHealth = Type.Object(
  {
    bindingKey: Type.String({ examples: ['shop'] }),
    agentId: Id('agt', 'The Agent that declares the binding.'),
    required: Type.Boolean({ description: 'Whether the Agent cannot do without it.' }),
    connectionId: nullable(Id('con', 'What it is bound to.')),
    state: oneOf(['healthy', 'missing', 'disabled', 'expired', 'version_unavailable'], {
      description:
        '`missing`: nothing of the right kind is bound; `disabled`: the Connection or its credential is; `expired`: the ' +
        'credential is; `version_unavailable`: a pinned version is gone.',
    }),
  },
  { $id: 'BindingHealth', description: 'How a declared binding stands, by what is stored about it.' },
)
export type BindingHealth = Static<typeof BindingHealth>

export const ConnectionPath = Type.Object({ ...EnvironmentPath.properties, connectionId: Id('con', 'The Connection.') })
