/** The settings of Connections by kind. Source: contract 4, "Connection `settings` per kind". */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Name, oneOf } from '../../platform/http/schema.ts'
import { isObject } from '../../platform/json.ts'

const Address = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 2048, description, examples: [example] })
const Word = (description: string, example: string) =>
  Type.String({ pattern: '^[a-z][a-z0-9_+.-]{0,62}$', description, examples: [example] })
const HeaderName = (description: string) =>
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$", description, examples: ['X-Api-Key'] })

export const HttpSettings = Type.Object(
  {
    baseUrl: Address('The base of its paths; without a query.', 'https://api.example.com/v1'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
        description: 'Sent with every request. Must not set credentials, the host or the message framing.',
      }),
    ),
    auth: Type.Optional(
      oneOf(['bearer', 'basic', 'header'], {
        description:
          'How the secret of the credential is sent: `basic` requires `user:password`; if omitted, it is not sent.',
      }),
    ),
    headerName: Type.Optional(HeaderName('The header for the secret; only with `auth: header`.')),
  },
  { $id: 'HttpSettings', description: 'Settings of kind `http`.' },
)
export type HttpSettings = Static<typeof HttpSettings>

export const DatabaseSettings = Type.Object(
  {
    engine: Word('The database engine.', 'postgres'),
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'A host name or an address.',
      examples: ['db.example.com'],
    }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    database: Name('The name of the database.'),
  },
  { $id: 'DatabaseSettings', description: 'Settings of kind `database`.' },
)
export type DatabaseSettings = Static<typeof DatabaseSettings>

export const ObjectStorageSettings = Type.Object(
  {
    endpoint: Address('The address of the service; without a query.', 'https://s3.example.com'),
    bucket: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$',
      description: 'The bucket.',
      examples: ['files'],
    }),
    region: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'Its region.' })),
  },
  { $id: 'ObjectStorageSettings', description: 'Settings of kind `object_storage`.' },
)
export type ObjectStorageSettings = Static<typeof ObjectStorageSettings>

export const MessagingSettings = Type.Object(
  {
    protocol: Word('The protocol of the broker.', 'amqp'),
    url: Address('The address of the broker.', 'amqps://broker.example.com/orders'),
    topic: Type.Optional(Name('A topic, queue or channel.')),
  },
  { $id: 'MessagingSettings', description: 'Settings of kind `messaging`.' },
)
export type MessagingSettings = Static<typeof MessagingSettings>

export const CustomSettings = Type.Object(
  {},
  {
    $id: 'CustomSettings',
    additionalProperties: true,
    description: 'Settings of kind `custom`: at most 16 KiB of JSON.',
  },
)

TypeRegistry.Set<TSchema>('SettingsOfKind', (_, value) => isObject(value))

/** The settings for the guard and the API document; `readSettings` validates them by kind. */
export const Settings = Type.Unsafe<Record<string, unknown>>({
  ...Type.Union([HttpSettings, DatabaseSettings, ObjectStorageSettings, MessagingSettings, CustomSettings]),
  [Kind]: 'SettingsOfKind',
  description: 'The settings of the kind. Secrets belong in provider credentials.',
  fault: 'Must be an object.',
})
