/**
 * Parameters of an operation: their places in the request, and their styles. Source: OpenAPI 3.1, "Parameter Object".
 */
import type { Handler, ParameterStyle } from '../../../authoring/definitions/source.ts'
import { isObject } from '../../../platform/json.ts'
import type { Names } from '../names.ts'
import { Skip } from '../skip.ts'
import type { Loose, OpenApiDocument } from './document.ts'
import type { Property } from './schemas.ts'

type HttpHandler = Extract<Handler, { type: 'http' }>

/** The parts of a request from its parameters. */
interface Placed extends Required<Pick<HttpHandler, 'query' | 'headers' | 'styles'>> {
  path: string
  properties: Property[]
}

interface Parameter {
  name: string
  in: string
  required: boolean
  description: string | undefined
  schema: unknown
  style: ParameterStyle
}

const parametersMax = 64
/** Headers that OpenAPI defines elsewhere, and that the handler sets itself. */
const ignoredHeaders = /^(?:accept|content-type|authorization)$/i
/** Headers that the server itself or the Connection sets. */
const reservedHeaders =
  /^(?:cookie|host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i
const defaultStyles: Record<string, ParameterStyle['style']> = { path: 'simple', header: 'simple', query: 'form' }

/** The parameters of the operation and of its path. Throws `Skip` for a required one that cannot be sent. */
export function placed(document: OpenApiDocument, path: string, lists: readonly unknown[], names: Names): Placed {
  const request: Pick<Placed, 'path' | 'styles' | 'properties'> = { path, styles: {}, properties: [] }
  // a document may name a parameter __proto__, which an object takes only as an entry
  const query: [string, string][] = []
  const headers: [string, string][] = []
  for (const parameter of effective(document, lists)) {
    const { name, in: place, required, description, schema, style } = parameter
    if (!isSendable(parameter)) {
      if (required) throw new Skip(`Needs the parameter ${name} in a ${place}, which an operation cannot send.`)
      continue
    }
    const property = names.of(name)
    const inner = `input.${property}`
    if (place === 'path') {
      if (!request.path.includes(`{${name}}`)) continue
      request.path = request.path.replaceAll(`{${name}}`, `\u0000${inner}\u0001`)
    } else (place === 'query' ? query : headers).push([name, `{{${inner}}}`])
    if (saysMore(document, place, style, schema)) request.styles[inner] = styleWithName(style, name, property)
    request.properties.push({ name: property, schema, required: required || place === 'path', description })
  }
  if (/[{}]/.test(request.path)) throw new Skip('Its path has a part that no parameter describes.')
  request.path = request.path.replaceAll('\u0000', '{{').replaceAll('\u0001', '}}')
  return { ...request, query: Object.fromEntries(query), headers: Object.fromEntries(headers) }
}

/** The operation's own override those of its path. */
function effective(document: OpenApiDocument, lists: readonly unknown[]): Parameter[] {
  const byPlace = new Map<string, Parameter>()
  for (const list of lists) {
    if (list === undefined) continue
    if (!Array.isArray(list)) throw new Skip('Its parameters are not a list.')
    if (list.length > parametersMax) throw new Skip(`Has more than ${parametersMax} parameters.`)
    for (const item of list) {
      const parameter = parameterOf(document.resolved(item))
      byPlace.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  return [...byPlace.values()].filter(({ in: place, name }) => !(place === 'header' && ignoredHeaders.test(name)))
}

function parameterOf({ name, in: place, required, description, schema, content, style, explode }: Loose): Parameter {
  if (typeof name !== 'string' || typeof place !== 'string')
    throw new Skip('A parameter of it has no name or no place.')
  const [media] = isObject(content) ? Object.values(content) : []
  const isForm = style === undefined ? place === 'query' : style === 'form'
  const named = typeof style === 'string' ? (style as ParameterStyle['style']) : (defaultStyles[place] ?? 'form')
  return {
    name,
    in: place,
    required: required === true,
    description: typeof description === 'string' ? description : undefined,
    schema: isObject(media) ? media.schema : schema,
    style: isObject(media)
      ? { style: 'json', explode: false }
      : { style: named, explode: typeof explode === 'boolean' ? explode : isForm },
  }
}

const isSendable = ({ in: place, name, style }: Parameter): boolean =>
  (place === 'path' || place === 'query' || (place === 'header' && !reservedHeaders.test(name))) &&
  ['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'].includes(style.style)

/** Whether the handler needs the style: texts and numbers look the same in most. */
function saysMore(
  document: OpenApiDocument,
  place: string,
  { style, explode }: ParameterStyle,
  schema: unknown,
): boolean {
  if (style === 'label' || style === 'matrix') return true
  const types = typesOf(document, schema)
  if (types.every((type) => ['string', 'number', 'integer', 'boolean', 'null'].includes(type))) {
    return style === 'json' && types.includes('string')
  }
  // lists repeat their parameter by default
  return !(place === 'query' && style === 'form' && explode && types.every((type) => type === 'array'))
}

function typesOf(document: OpenApiDocument, schema: unknown): string[] {
  if (!isObject(schema)) return ['any']
  const { type } = document.resolved(schema)
  return [type ?? 'any'].flat().map(String)
}

const styleWithName = (style: ParameterStyle, name: string, property: string): ParameterStyle =>
  style.style === 'matrix' && name !== property ? { ...style, name } : style
