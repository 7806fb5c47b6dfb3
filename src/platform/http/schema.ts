/** The shapes that all areas share. Source: contract 0, "Ids", "Strings", "Envelope"; requirement 2, "Conventions". */
import { Kind, type TSchema, type TString, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import { type IdPrefix, idNames } from '../../../storage/ids.ts'

/** Control characters, which no name carries. */
const controls = /\p{Cc}/u

interface LabelSchema extends TSchema {
  minLength: number
  maxLength: number
}

// lengths are counted in characters (code points), after the white space around them is gone
TypeRegistry.Set<LabelSchema>('Label', (schema, value) => {
  if (typeof value !== 'string' || controls.test(value)) return false
  const trimmed = value.trim()
  if (trimmed.length > schema.maxLength * 2) return false
  const length = [...trimmed].length
  return length >= schema.minLength && length <= schema.maxLength
})
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

/** A name or label: 1–200 characters. */
export const Name = (description = 'Name') => label(200, description)

/** A slug: part of addresses, unique among its like. */
export const Slug = (description = 'Slug') =>
  Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
    description: `${description}: 1 to 63 lower-case letters, digits and inner hyphens.`,
    fault: 'Must be 1 to 63 lower-case letters, digits and inner hyphens.',
    examples: ['support-desk'],
  })

/** Free text of at most 2,000 characters; line breaks are fine. */
export const Description = (description = 'Description') => Type.String({ maxLength: 2000, description })

/** A use of a named schema that says something else about it; in the API document it refers to the named one. */
export const saying = <Schema extends TSchema>(original: Schema, description?: string): Schema =>
  description === undefined ? original : { ...original, description, original }

const anyTimestamp = Type.String({
  $id: 'Timestamp',
  format: 'date-time',
  description: 'An instant: RFC 3339 in UTC with milliseconds.',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** An instant, as RFC 3339 in UTC with milliseconds. */
export const Timestamp = (description?: string) => saying(anyTimestamp, description)

const anyId = new Map<IdPrefix, TString>()

function idOf(prefix: IdPrefix): TString {
  const known = anyId.get(prefix)
  if (known) return known
  const schema = Type.String({
    $id: `${idNames[prefix]}Id`,
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    description: `The id of one \`${idNames[prefix]}\`: \`${prefix}_…\``,
    examples: [`${prefix}_01h455vb4pex5vsknk084sn02q`],
  })
  anyId.set(prefix, schema)
  return schema
}

/** The id of a resource: `Id('run')` is `run_…`. */
export const Id = (prefix: IdPrefix, description?: string): TString => saying(idOf(prefix), description)

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options: Partial<TSchema> = {}) =>
  Type.Unsafe<Words[number]>({ ...options, [Kind]: 'OneOf', type: 'string', enum: [...words] }) as TUnsafe<
    Words[number]
  >

/** The value, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** In the API document, the answer about a `Webhook` is the `WebhookAnswer`, a page of them the `WebhookPage`. */
const named = ({ $id }: TSchema, what: 'Answer' | 'List' | 'Page') => ($id ? { $id: $id + what } : {})

/** `{data: …}` */
export const dataOf = <Schema extends TSchema>(schema: Schema) => Type.Object({ data: schema }, named(schema, 'Answer'))

/** `{data: {items: […]}}`: a list without paging. */
export const itemsOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ data: Type.Object({ items: Type.Array(schema) }) }, named(schema, 'List'))

export const Pagination = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, description: 'The page size asked for.' }),
    hasMore: Type.Boolean({ description: 'Whether another page exists.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Pass it back as `cursor`; present while `hasMore`.' })),
  },
  { $id: 'Pagination', description: 'How a list goes on.' },
)

/** `{data: {items: […]}, pagination}` */
export const pageOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ data: Type.Object({ items: Type.Array(schema) }), pagination: Pagination }, named(schema, 'Page'))

/** For the API document: the header is read by itself. */
export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same request with the same key has its effect once, and gets the first answer for 24 hours.',
    }),
  ),
})
