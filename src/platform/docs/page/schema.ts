/** Renders a schema as a table of its fields. */
import { nameOf, type Schema } from './document.ts'
import { code, escaped, markdown, schemaId } from './text.ts'

const bounds: Record<string, string> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters, at least',
  maxLength: 'characters, at most',
  minItems: 'items, at least',
  maxItems: 'items, at most',
  pattern: 'pattern',
  format: 'format',
  default: 'default',
}

const linkTo = (reference: string): string => {
  const name = nameOf(reference)
  return `<a href="#${schemaId(name)}">${escaped(name)}</a>`
}

/** A short description of a type: `string, at most 200 characters`, `list of AgentRun`. */
export function kindOf(schema: Schema): string {
  if (schema.$ref) return linkTo(schema.$ref)
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' | ')
  if ('const' in schema) return code(JSON.stringify(schema.const))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(kindOf).join(' or ')
  if (schema.allOf) return schema.allOf.map(kindOf).join(' and ')
  if (schema.items) return `list of ${kindOf(schema.items)}`
  if (schema.contentSchema) return `${escaped(String(schema.type))}: ${kindOf(schema.contentSchema)}`
  const types = schema.type === undefined ? ['anything'] : [schema.type].flat()
  return escaped(types.join(' or '))
}

function boundsOf(schema: Schema): string {
  const texts = Object.entries(bounds)
    .filter(([word]) => schema[word] !== undefined)
    .map(
      ([word, meaning]) =>
        `${meaning} ${code(typeof schema[word] === 'string' ? schema[word] : JSON.stringify(schema[word]))}`,
    )
  return texts.length > 0 ? `<small>${texts.join(', ')}</small>` : ''
}

/** The nested object schemas that have fields to show. */
function withFields(schema: Schema): Schema[] {
  if (schema.properties || schema.patternProperties || typeof schema.additionalProperties === 'object') return [schema]
  const inside = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [...inside, ...(schema.items ? [schema.items] : [])].flatMap(withFields)
}

function row(name: string, schema: Schema, required: boolean): string {
  const about = schema.description ? markdown(schema.description) : ''
  const inner = withFields(schema).map(fieldsOf).join('')
  return `<tr><th scope="row">${code(name)}${required ? ' <small>required</small>' : ''}</th><td>${kindOf(schema)} ${boundsOf(schema)}${about}${inner}</td></tr>`
}

/** The table of an object's fields. */
function fieldsOf({ properties = {}, required = [], patternProperties = {}, additionalProperties }: Schema): string {
  const others = typeof additionalProperties === 'object' ? { 'any other': additionalProperties } : {}
  const rows = [
    ...Object.entries(properties).map(([name, schema]) => row(name, schema, required.includes(name))),
    ...Object.entries({ ...patternProperties, ...others }).map(([name, schema]) => row(name, schema, false)),
  ]
  return rows.length > 0 ? `<table>${rows.join('')}</table>` : ''
}

/** The whole description of a schema. */
export function schemaText(schema: Schema): string {
  const fields = withFields(schema).map(fieldsOf).join('')
  const isPlainObject = schema.properties && fields
  return `${isPlainObject ? '' : `<p>${kindOf(schema)} ${boundsOf(schema)}</p>`}${fields}`
}

/** A named schema with its anchor. */
export const namedSchema = (name: string, schema: Schema): string =>
  `<section class="part" id="${schemaId(name)}" aria-labelledby="${schemaId(name)}-name">
<h3 id="${schemaId(name)}-name"><a href="#${schemaId(name)}">${escaped(name)}</a></h3>
${schema.description ? markdown(schema.description) : ''}${schemaText(schema)}</section>`
