/** The schemas that areas share. Source: contract 0, "Ids", "Strings", "Envelope"; requirement 2, "Conventions". */
import { FormatRegistry, Kind, type TSchema, type TString, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import { type IdPrefix, idNames } from '../../../storage/ids.ts'
import { instantOf } from './timestamp.ts'

/** Control characters, which names must not have. */
const controls = /\p{Cc}/u

interface LabelSchema extends TSchema {
  minLength: number
  maxLength: number
}

// lengths are counted in code points after trimming
TypeRegistry.Set<LabelSchema>('Label', (schema, value) => {
  if (typeof value !== 'string' || controls.test(value)) return false
  const trimmed = value.trim()
  if (trimmed.length > schema.maxLength * 2) return false
  const length = [...trimmed].length
  return length >= schema.minLength && length <= schema.maxLength
})

/** Characters that cannot be printed: control characters, lone surrogates, line separators. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** Whether a text has 1 to the given number of printable characters, by code points. */
export const isPrintable = (text: string, lengthMax: number): boolean =>
  text !== '' && text.length <= lengthMax * 2 && !unprintable.test(text) && [...text].length <= lengthMax

TypeRegistry.Set<LabelSchema>(
  'Printable',
  (schema, value) => typeof value === 'string' && isPrintable(value, schema.maxLength),
)
TypeRegistry.Set<TSchema>('OneOf', (schema, value) => (schema.enum as unknown[]).includes(value))

/** One line of text, trimmed, without control characters. */
const label = (lengthMax: number, description: string) =>
  Type.Transform(
    Type.Unsafe<string>({
      [Kind]: 'Label',
      type: 'string',
      minLength: 1,
      maxLength: lengthMax,
      description,
      fault: `Must have 1 to ${lengthMax} characters and no control characters.`,
    }),
  )
    .Decode((text) => text.trim())
    .Encode((text) => text)

/** A client's own text, stored unchanged: printable characters, including spaces. */
export const Printable = (lengthMax: number, description: string) =>
  Type.Unsafe<string>({
    [Kind]: 'Printable',
    type: 'string',
    minLength: 1,
    maxLength: lengthMax,
    description,
    fault: `Must have 1 to ${lengthMax} printable characters.`,
  })

/** A name or label: 1–200 characters. */
export const Name = (description = 'Name') => label(200, description)

export const Slug = (description = 'Slug') =>
  Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
    description: `${description}: 1 to 63 lower-case letters, digits and inner hyphens.`,
    fault: 'Must be 1 to 63 lower-case letters, digits and inner hyphens.',
    examples: ['support-desk'],
  })

/** Free text of at most 2,000 characters, with line breaks. */
export const Description = (description = 'Description') => Type.String({ maxLength: 2000, description })

/** A named schema with another description; the API document refers to the named one. */
export const saying = <Schema extends TSchema>(original: Schema, description?: string): Schema =>
  description === undefined ? original : { ...original, description, original }

// Elysia's own accepts days alone, days that do not exist, and instants in quotation marks
FormatRegistry.Set('date-time', (text) => instantOf(text) !== undefined)

const anyTimestamp = Type.String({
  $id: 'Timestamp',
  format: 'date-time',
  description: 'An instant: RFC 3339 in UTC with milliseconds.',
  fault: 'Must be an instant as in RFC 3339, such as 2026-01-31T12:00:00.000Z.',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** An instant, as RFC 3339 in UTC with milliseconds. */
export const Timestamp = (description?: string) => saying(anyTimestamp, description)

const anyId = new Map<IdPrefix, TString>()

function idOf(prefix: IdPrefix): TString {
  const known = anyId.get(prefix)
  if (known) return known
  const example = `${prefix}_01h455vb4pex5vsknk084sn02q`
  const schema = Type.String({
    $id: `${idNames[prefix]}Id`,
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    description: `The id of one \`${idNames[prefix]}\`: \`${prefix}_…\``,
    fault: `Must be an id such as ${example}.`,
    examples: [example],
  })
  anyId.set(prefix, schema)
  return schema
}

/** The id of a resource: `Id('run')` is `run_…`. */
export const Id = (prefix: IdPrefix, description?: string): TString => saying(idOf(prefix), description)

/** A filter by the id of a resource. A malformed id is refused, since an empty list would look like an answer. */
export const idFilter = (prefix: IdPrefix, description: string) => Type.Optional(Id(prefix, description))

/** The id of an Agent, of the organization or of the platform. */
export const agentIdPattern = '^agt_(?:[0-7][0-9a-hjkmnp-tv-z]{25}|system_[a-z0-9_]{1,60})$'

/** A filter by the id of an Agent, of the organization or of the platform. */
export const agentFilter = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: agentIdPattern,
      description,
      fault: 'Must be the id of an Agent such as agt_01h455vb4pex5vsknk084sn02q or agt_system_assistant.',
      examples: ['agt_system_assistant'],
    }),
  )

/** An enumeration of strings. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options: Partial<TSchema> = {}) =>
  Type.Unsafe<Words[number]>({ ...options, [Kind]: 'OneOf', type: 'string', enum: [...words] }) as TUnsafe<
    Words[number]
  >

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A body that a request may omit, since all of its fields are optional: then it is read as an empty object. */
export const omissible = <Schema extends TSchema>(schema: Schema): Schema => Type.Optional(schema) as TSchema as Schema

/** Names for the API document: `WebhookAnswer` for an answer with a `Webhook`, `WebhookPage` for a page. */
const named = ({ $id }: TSchema, what: 'Answer' | 'List' | 'Page') => ($id ? { $id: $id + what } : {})

/** `{data: …}` */
export const dataOf = <Schema extends TSchema>(schema: Schema) => Type.Object({ data: schema }, named(schema, 'Answer'))

/** `{data: {items: […]}}`: a list without paging. */
export const itemsOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ data: Type.Object({ items: Type.Array(schema) }) }, named(schema, 'List'))

export const Pagination = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, description: 'The requested page size.' }),
    hasMore: Type.Boolean({ description: 'Whether there is another page.' }),
    nextCursor: Type.Optional(
      Type.String({ description: 'Pass it as `cursor` to get the next page; present if `hasMore`.' }),
    ),
  },
  { $id: 'Pagination', description: 'The cursor of the next page.' },
)

/** `{data: {items: […]}, pagination}` */
export const pageOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ data: Type.Object({ items: Type.Array(schema) }), pagination: Pagination }, named(schema, 'Page'))

/** For the API document only: the header is read separately. */
export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A repeated request with the same key has no further effect and gets the first answer, for 24 hours.',
    }),
  ),
})

/** Where a stream of server-sent events resumes. For the API document only, too: an invalid one is refused by the stream. */
export const LastEventIdHeader = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'The id of the last event that the reader has.' }),
  ),
})
