/** The fields of a JSON Schema that a single control can show. Pure. */

export interface PlainField {
  name: string
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice'
  required: boolean
  about: string
  /** Options of a choice. */
  choices: string[]
}

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsMax = 30
const kinds: Record<string, PlainField['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

/** In the order of the schema, without fields of other or several types. */
export function plainFieldsOf(schema: unknown): PlainField[] {
  if (!isSchema(schema) || !isSchema(schema.properties)) return []
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(schema.properties)
    .slice(0, fieldsMax)
    .flatMap(([name, field]) => {
      if (!isSchema(field)) return []
      const isChoice = Array.isArray(field.enum) && field.enum.every((each) => typeof each === 'string')
      const kind = isChoice ? 'choice' : Array.isArray(field.enum) ? undefined : kinds[String(field.type)]
      if (!kind) return []
      const about = typeof field.description === 'string' ? field.description.slice(0, 500) : ''
      return [{ name, kind, required: required.has(name), about, choices: isChoice ? (field.enum as string[]) : [] }]
    })
}

/** The object with the field set to this text; an empty optional field is removed. */
export function withFieldText(
  values: Readonly<Record<string, unknown>>,
  { name, kind, required }: PlainField,
  written: string | boolean,
): Record<string, unknown> {
  const { [name]: _, ...others } = values
  if (written === '' && !required) return others
  const isNumber = kind === 'number' || kind === 'integer'
  const value = !isNumber ? written : written === '' || Number.isNaN(Number(written)) ? null : Number(written)
  return { ...values, [name]: value }
}
