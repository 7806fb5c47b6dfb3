/**
 * Values that arrive as text (a query, the fields of a form, path ids), read as their schema wants them. Text that does
 * not fit stays text, so that validation names the problem. Source: contract 0, "Paging".
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type Issue, invalid, unknownParameters } from '../answers/errors.ts'
import { strict } from './strict.ts'

const integer = /^(0|-?[1-9][0-9]{0,15})$/
const number = /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$/

/** One text in the type that the schema asks for. */
function scalar(schema: TSchema, text: string): unknown {
  const types: unknown[] = schema.anyOf ? schema.anyOf.map((choice: TSchema) => choice.type) : [schema.type]
  if (types.includes('integer') && integer.test(text)) return Number(text)
  if (types.includes('number') && number.test(text)) return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Where the texts come from: an issue's path starts with it. A query's list may also be comma-separated. */
export type TextSource = '/query' | '/body' | '/path'

/** What becomes of parameters that nobody asked for. */
export type UnknownNames = 'refused' | 'ignored'

/** Campaigns mark links with these, wherever the links lead. */
const isMark = (name: string) => name.startsWith('utm_')
const issuesMax = 20
const nameLengthMax = 100

/**
 * Reads texts (or files) by the properties of an object schema. Names that a body has beyond them are kept for validation
 * to refuse. Throws `validation_failed` for a single value that is given twice and for U+0000, which no store keeps, and
 * `unknown_parameter` for a query's names that the schema does not have, where they are refused.
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
      // what only its maker can read is for its maker to judge
      if (typeof value === 'string' && value.includes('\0') && !property.opaque) {
        issues.push({ path: `${source}/${name}`, message: 'Has the character U+0000.' })
      }
      if (property.type === 'array') {
        const texts = source === '/query' ? String(value).split(',') : [value]
        const items = texts.map((item) => (typeof item === 'string' ? scalar(property.items ?? {}, item) : item))
        values[name] ??= []
        // a copy for each one would make a long list cost its square
        for (const item of items) (values[name] as unknown[]).push(item)
      } else if (name in values) {
        issues.push({ path: `${source}/${name}`, message: 'Is given more than once.' })
      } else {
        values[name] = typeof value === 'string' ? scalar(property, value) : value
      }
    }
    if (unknown.size > 0) throw unknownParameters([...unknown].slice(0, issuesMax), Object.keys(properties))
    if (issues.length > 0) throw invalid(issues.slice(0, issuesMax))
    for (const [name, property] of defaults) values[name] ??= property.default
    return values
  }
}
