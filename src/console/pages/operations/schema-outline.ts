/** Outline of a JSON Schema for people who write a value. Pure. */

type Schema = Record<string, unknown>

interface OutlinedField {
  name: string
  /** `text`, `number, at least 1`, `one of "a", "b"` */
  type: string
  required: boolean
  description: string
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeNames: Record<string, string> = { string: 'text', integer: 'whole number', boolean: 'true or false' }
const choicesMax = 8

function typeOf(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, choicesMax).map((each) => JSON.stringify(each))
    return `one of ${shown.join(', ')}${schema.enum.length > choicesMax ? ', …' : ''}`
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  const words = types.filter((type) => typeof type === 'string').map((type) => typeNames[type] ?? type)
  return words.length > 0 ? words.join(' or ') : 'anything'
}

function bounds({ minimum, maximum, minLength, maxLength, pattern, format }: Schema): string {
  return [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    minLength !== undefined && `${minLength} characters or more`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    format !== undefined && String(format),
    pattern !== undefined && `like ${pattern}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Fields of an object schema; empty if it names none. */
export function outlineOf(schema: unknown): OutlinedField[] {
  if (!isSchema(schema) || !isSchema(schema.properties)) return []
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(schema.properties).map(([name, value]) => {
    const field = isSchema(value) ? value : {}
    const about = typeof field.description === 'string' ? field.description : ''
    return {
      name,
      type: [typeOf(field), bounds(field)].filter(Boolean).join(', '),
      required: required.has(name),
      description: about.slice(0, 500),
    }
  })
}

const depthMax = 5

/** Initial value: the schema's example, else one of its shape. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isSchema(schema) || depth > depthMax) return {}
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      return []
  }
  const properties = isSchema(schema.properties) ? schema.properties : {}
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field, depth + 1)]))
}
