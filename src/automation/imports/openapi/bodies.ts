/** The body of a request, by its media type. Source: OpenAPI 3.1, "Request Body Object"; contract 4, "HTTP bodies". */
import type { ParameterStyle } from '../../../authoring/definitions/source.ts'
import { isObject } from '../../../platform/json.ts'
import type { Names } from '../names.ts'
import { Skip } from '../skip.ts'
import type { Loose, OpenApiDocument } from './document.ts'
import type { Property } from './schemas.ts'

interface PlacedBody {
  property: Property
  body: unknown
  /** Omitted: JSON. */
  contentType?: string
  styles: Record<string, ParameterStyle>
}

/** The media types that operations can write, best first. */
const writable = [
  /^application\/json\s*(?:;|$)/i,
  /^[^;]+\+json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^\*\/\*$/,
  /^text\//i,
  /^application\/(?:.*\+)?xml\b/i,
] as const
const placeholderName = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Undefined if there is no body. Throws `Skip` for a body that cannot be written, even an optional one: without it the
 * operation would silently do something else.
 */
export function placedBody(document: OpenApiDocument, requestBody: unknown, names: Names): PlacedBody | undefined {
  if (requestBody === undefined) return undefined
  const { content, required, description } = document.resolved(requestBody)
  const types = isObject(content) ? Object.keys(content) : []
  const mediaType = writable.map((form) => types.find((type) => form.test(type))).find((found) => found !== undefined)
  if (mediaType === undefined) {
    if (types.length === 0 && required !== true) return undefined
    throw new Skip(
      `Takes a body of ${types.slice(0, 5).join(', ') || 'no media type'}, which an operation cannot write.`,
    )
  }
  const media = document.resolved((content as Loose)[mediaType])
  const name = names.of('body')
  const property: Property = {
    name,
    schema: media.schema ?? {},
    required: required === true,
    description: typeof description === 'string' ? description : undefined,
  }
  const whole = { property, body: `{{input.${name}}}`, styles: {} }
  if (/^application\/json$/i.test(mediaType) || mediaType === '*/*') return whole
  if (!/^application\/x-www-form-urlencoded/i.test(mediaType)) return { ...whole, contentType: mediaType }
  return { ...whole, ...form(document, name, media), contentType: mediaType }
}

/** Separate fields, if one of them has a style. */
function form(document: OpenApiDocument, name: string, { schema, encoding }: Loose): Partial<PlacedBody> {
  const { properties } = isObject(schema) ? document.resolved(schema) : {}
  if (!isObject(properties) || !isObject(encoding)) return {}
  const styled = Object.entries(encoding).filter(
    ([field, how]) => Object.hasOwn(properties, field) && isObject(how) && (how.style ?? how.explode) !== undefined,
  )
  const fields = Object.keys(properties)
  // a field with a name that no placeholder can have: the form is written as a whole, without styles
  if (styled.length === 0 || fields.length > 200 || !fields.every((field) => placeholderName.test(field))) return {}
  const inner = (field: string) => `input.${name}.${field}`
  return {
    body: Object.fromEntries(fields.map((field) => [field, `{{${inner(field)}}}`])),
    styles: Object.fromEntries(styled.slice(0, 48).map(([field, how]) => [inner(field), styleOf(how as Loose)])),
  }
}

const formStyles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const

function styleOf({ style, explode }: Loose): ParameterStyle {
  const known = formStyles.find((each) => each === style) ?? 'form'
  return { style: known, explode: typeof explode === 'boolean' ? explode : known === 'form' }
}
