/** What is wrong with a value, and what it must be; never with the value itself. Source: contract 0, "Errors". */
import { Kind, type TSchema, TypeGuard } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { didYouMean } from '../near-names.ts'

/** The most names of fields in a message. */
const fieldsMax = 40

/** Names the fields that there are, as for query parameters. */
function noSuchField(path: string, { properties = {} }: TSchema): string {
  const names = Object.keys(properties as object)
  if (names.length === 0) return 'There is no such field. There is none here.'
  const given = path.slice(path.lastIndexOf('/') + 1)
  const more = names.length > fieldsMax ? ', …' : ''
  return `There is no such field. ${didYouMean(given, names)}There are: ${names.slice(0, fieldsMax).join(', ')}${more}.`
}

const counted = (count: unknown, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** By the kind of the error; other kinds have the words of the library. */
const messages: { [Type in ValueErrorType]?: (schema: TSchema) => string } = {
  [ValueErrorType.String]: () => 'Must be a text.',
  [ValueErrorType.Integer]: () => 'Must be an integer.',
  [ValueErrorType.Number]: () => 'Must be a number.',
  [ValueErrorType.Boolean]: () => 'Must be true or false.',
  [ValueErrorType.Literal]: (schema) => `Must be ${schema.const}.`,
  [ValueErrorType.Array]: () => 'Must be a list.',
  [ValueErrorType.Object]: () => 'Must be an object.',
  [ValueErrorType.IntegerMinimum]: ({ minimum }) => `Must be at least ${minimum}.`,
  [ValueErrorType.IntegerMaximum]: ({ maximum }) => `Must be at most ${maximum}.`,
  [ValueErrorType.NumberMinimum]: ({ minimum }) => `Must be at least ${minimum}.`,
  [ValueErrorType.NumberMaximum]: ({ maximum }) => `Must be at most ${maximum}.`,
  [ValueErrorType.StringMinLength]: ({ minLength }) => `Must have at least ${counted(minLength, 'character')}.`,
  [ValueErrorType.StringMaxLength]: ({ maxLength }) => `Must have at most ${counted(maxLength, 'character')}.`,
  [ValueErrorType.StringPattern]: ({ pattern, examples }) =>
    `Must match ${pattern}${typeof examples?.[0] === 'string' ? `, such as ${examples[0]}` : ''}.`,
  [ValueErrorType.ArrayMinItems]: ({ minItems }) => `Must have at least ${counted(minItems, 'item')}.`,
  [ValueErrorType.ArrayMaxItems]: ({ maxItems }) => `Must have at most ${counted(maxItems, 'item')}.`,
  [ValueErrorType.ArrayUniqueItems]: () => 'Must not have an item twice.',
  [ValueErrorType.ObjectMinProperties]: ({ minProperties }) => `Must have at least ${counted(minProperties, 'field')}.`,
  [ValueErrorType.ObjectMaxProperties]: ({ maxProperties }) => `Must have at most ${counted(maxProperties, 'field')}.`,
}

const article: Partial<Record<string, string>> = { number: 'a number', boolean: 'true or false', object: 'an object' }

/** A schema's own message; for a value that is no text, as YAML reads the number 7 from `007`, it says so. */
function faultOf({ type, fault }: TSchema, value: unknown): string {
  if (type !== 'string' || typeof value === 'string' || fault.includes('text')) return fault
  const given = value === null ? 'null' : Array.isArray(value) ? 'a list' : article[typeof value]
  return `${fault} It must be a text, not ${given}.`
}

/** The message of an error: that of its schema, if it has one. */
export function messageOf({ type, path, schema, value, message }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return 'Is required.'
  if (type === ValueErrorType.ObjectAdditionalProperties) return noSuchField(path, schema)
  if (typeof schema.fault === 'string') return faultOf(schema, value)
  if (Array.isArray(schema.enum)) return `Must be one of: ${schema.enum.join(', ')}.`
  const choices: unknown = schema.anyOf
  if (Array.isArray(choices) && choices.every((choice) => TypeGuard.IsLiteral(choice))) {
    return `Must be one of: ${choices.map((choice) => choice.const).join(', ')}.`
  }
  if (type === ValueErrorType.Kind) return `Is not a valid ${schema[Kind]}.`
  return messages[type]?.(schema) ?? `${message}.`
}
