/** The schemas of Connections; credentials are never shown. Source: requirement 2, 4.3; contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { Settings } from './settings-schema.ts'

const Kind = oneOf(['http', 'database', 'object_storage', 'messaging', 'custom'], {
  description: 'The kind of service; immutable.',
})
const BindingKey = Type.String({
  pattern: '^[a-zA-Z0-9_.-]{1,64}$',
  description: 'The key that the Agent uses for it.',
  examples: ['shop'],
})

export const Connection = Type.Object(
  {
    id: Id('con'),
    environmentId: Id('env'),
    name: Type.String({ description: 'Unique in the Environment.', examples: ['Shop'] }),
    kind: Kind,
    status: oneOf(['active', 'disabled', 'deleting'], { description: 'Only an active one is used.' }),
    statusReason: nullable(Type.String({ description: 'Why the server disabled it.' })),
    settings: Type.Object({}, { additionalProperties: true, description: 'The settings of the current version.' }),
    agentId: nullable(Id('agt', 'The Agent that it is bound to.')),
    bindingKey: nullable(Type.String({ description: 'The key that the Agent uses for it.' })),
    currentVersion: Type.Object(
      { id: Id('cnv'), number: Type.Integer({ minimum: 1 }), createdAt: Timestamp() },
      { description: 'The version that a new Configuration Revision would pin.' },
    ),
    oauth: Type.Optional(
      Type.Object(
        {
          presetKey: Type.String({
            description: 'The preset that it was connected with.',
            examples: ['google-workspace'],
          }),
          scopes: Type.Array(Type.String(), { description: 'The granted scopes.' }),
          account: Type.Object(
            { id: Type.String(), label: Type.String({ examples: ['ada@example.com'] }) },
            { description: 'The account that consented, as named by the provider.' },
          ),
        },
        { description: 'The consent behind the current version; only if it was connected by OAuth.' },
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Connection', description: 'The address and settings of an external service, without its credential.' },
)
export type Connection = Static<typeof Connection>

const CredentialId = nullable(Id('crd', 'A provider credential of the organization; null: none.'))
const CredentialVersion = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'A version of that credential; null: the current one when a Configuration Revision is created.',
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
    description: 'The fields to change. `agentId` and `bindingKey` belong together; both null unbind.',
  },
)
export type ConnectionChanges = Static<typeof ConnectionChanges>

export const BindingHealth = Type.Object(
  {
    bindingKey: Type.String({ examples: ['shop'] }),
    agentId: Id('agt', 'The Agent that declares the binding.'),
    required: Type.Boolean({ description: 'Whether the Agent requires it.' }),
    connectionId: nullable(Id('con', 'The bound Connection.')),
    state: oneOf(['healthy', 'missing', 'disabled', 'expired', 'version_unavailable'], {
      description:
        '`missing`: no Connection of the right kind is bound; `disabled`: the Connection or its credential is disabled; `expired`: the ' +
        'credential or the consent has expired; `version_unavailable`: a pinned version was deleted or revoked, or the credential that ' +
        'the settings require is gone.',
    }),
  },
  { $id: 'BindingHealth', description: 'The health of a declared binding, by its stored state.' },
)
export type BindingHealth = Static<typeof BindingHealth>

export const ConnectionPath = Type.Object({ ...EnvironmentPath.properties, connectionId: Id('con', 'The Connection.') })
