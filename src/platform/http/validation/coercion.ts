/**
 * Converts values that arrive as text (query, form fields, path ids) to the types of their schema. Text that does not fit
 * stays text, so that validation reports it. Source: contract 0, "Paging".
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type Issue, invalid, malformed, unknownParameters } from '../answers/errors.ts'
import { structuralFault } from '../body/duplicates.ts'
import { strict } from './strict.ts'

const integer = /^(0|-?[1-9][0-9]{0,15})$/
const number = /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$/

/** The longest JSON of an object in a form, in characters. */
const objectTextMax = 16_384

/**
 * An object that is sent as JSON in a form field; the text itself if it is not an object. Throws `malformed_request`
 * for duplicate keys.
 */
function objectIn(text: string): unknown {
  if (text.length > objectTextMax || !text.trimStart().startsWith('{')) return text
  const fault = structuralFault(text)
  if (fault) throw malformed(fault)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Converts one text to the type of the schema. */
function scalar(schema: TSchema, text: string): unknown {
  const types: unknown[] = schema.anyOf ? schema.anyOf.map((choice: TSchema) => choice.type) : [schema.type]
  if (types.includes('object')) return objectIn(text)
  if (types.includes('integer') && integer.test(text)) return Number(text)
  if (types.includes('number') && number.test(text)) return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** The source of the texts, the start of an issue's path. A list in a query may also be comma-separated. */
export type TextSource = '/query' | '/body' | '/path'

/** How unknown parameters are treated. */
export type UnknownNames = 'refused' | 'ignored'

/** Marketing tools add these parameters to links. */
const isMark = (name: string) => name.startsWith('utm_')
const issuesMax = 20
const nameLengthMax = 100

/** What is wrong with a value before its schema is looked at. An opaque one is checked by its issuer. */
function faultOf(values: object, name: string, value: string | File, { type, opaque }: TSchema): string | undefined {
  if (typeof value === 'string' && value.includes('\0') && !opaque) return 'Has the character U+0000.'
  return type !== 'array' && name in values ? 'Must be given only once.' : undefined
}

/**
 * Makes a reader that converts texts (or files) by the properties of an object schema. Unknown names in a body are kept for
 * validation. Throws `validation_failed` for a repeated single value and for U+0000, which not every store accepts (a text
 * with `emptyIfFaulty` is empty instead), and `unknown_parameter` for unknown names in a query, where they are refused.
 */
export function textReader(schema: TObject, source: TextSource, unknownNames: UnknownNames = 'refused') {
  const properties = (strict(schema) as TObject).properties
  const defaults = Object.entries(properties).filter(([, property]) => property.default !== undefined)
  return (entries: Iterable<[string, string | File]>): Record<string, unknown> => {
    const values: Record<string, unknown> = Object.create(null)
    const issues: Issue[] = []
    const unknown = new Set<string>()
    for (const [name, value] of entries) {
      const property = Object.hasOwn(properties, name) ? properties[name]! : undefined
      if (!property) {
        if (source === '/body') values[name] = value
        else if (unknownNames === 'refused' && !isMark(name)) unknown.add(name.slice(0, nameLengthMax))
        continue
      }
      const fault = faultOf(values, name, value, property)
      if (fault !== undefined && property.emptyIfFaulty) {
        values[name] = ''
        continue
      }
      if (fault !== undefined) issues.push({ path: `${source}/${name}`, message: fault })
      if (property.type === 'array') {
        const texts = source === '/query' ? String(value).split(',') : [value]
        const items = texts.map((item) => (typeof item === 'string' ? scalar(property.items ?? {}, item) : item))
        values[name] ??= []
        // copying for each item would be quadratic
        for (const item of items) (values[name] as unknown[]).push(item)
      } else if (!(name in values)) {
        values[name] = typeof value === 'string' ? scalar(property, value) : value
      }
    }
    if (unknown.size > 0) throw unknownParameters([...unknown].slice(0, issuesMax), Object.keys(properties))
    if (issues.length > 0) throw invalid(issues.slice(0, issuesMax))
    for (const [name, property] of defaults) values[name] ??= property.default
    return values
  }
}
