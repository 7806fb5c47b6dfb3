/**
 * Serializes lists and objects as parameters of a path, a query, a header or a form. Pure. Source: OpenAPI 3.1, "Style
 * Values"; RFC 6570.
 */
import type { ParameterStyle } from '../../authoring/definitions/source.ts'

/** By placeholder without its braces. */
export type Styles = Readonly<Record<string, ParameterStyle>>

/** A value as text: strings unchanged, others as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const isGiven = (value: unknown) => value !== undefined && value !== null
const givenItems = (value: readonly unknown[]) => value.filter(isGiven)
const givenEntries = (value: object) => Object.entries(value).filter(([, item]) => isGiven(item))

/**
 * The value within a path or a header, where styles other than `label`, `matrix` and `json` mean `simple`. `encode` is
 * applied to each text, not to the characters between them; `name` is the name of the value.
 */
export function textIn(
  { style, explode, name: given }: ParameterStyle,
  name: string,
  value: unknown,
  encode: (text: string) => string,
): string {
  if (style === 'json') return encode(isGiven(value) ? JSON.stringify(value) : '')
  const written = (item: unknown) => encode(textOf(item))
  const matrix = `;${encode(given ?? name)}`
  if (typeof value !== 'object' || value === null) return prefixed(style, matrix, written(value))
  if (Array.isArray(value)) {
    const items = givenItems(value).map(written)
    if (style === 'matrix')
      return explode ? items.map((item) => `${matrix}=${item}`).join('') : `${matrix}=${items.join(',')}`
    return style === 'label' ? `.${items.join(explode ? '.' : ',')}` : items.join(',')
  }
  const pairs = givenEntries(value).map(([key, item]) => [encode(key), written(item)])
  if (!explode) return prefixed(style, matrix, pairs.flat().join(','))
  const fields = pairs.map((pair) => pair.join('='))
  if (style === 'matrix') return fields.map((field) => `;${field}`).join('')
  return style === 'label' ? `.${fields.join('.')}` : fields.join(',')
}

const prefixed = (style: ParameterStyle['style'], matrix: string, text: string) =>
  style === 'matrix' ? `${matrix}=${text}` : style === 'label' ? `.${text}` : text

const separators: Partial<Record<ParameterStyle['style'], string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

/** The fields of a query or a form that the value yields under the name; styles of other places mean `form`. */
export function fieldsIn({ style, explode }: ParameterStyle, name: string, value: unknown): [string, string][] {
  if (!isGiven(value)) return []
  if (style === 'json') return [[name, JSON.stringify(value)]]
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]]
  if (style === 'deepObject') return deep(name, value)
  const separator = separators[style] ?? ','
  if (Array.isArray(value)) {
    const items = givenItems(value).map(textOf)
    if (explode) return items.map((item) => [name, item])
    return items.length === 0 ? [] : [[name, items.join(separator)]]
  }
  const pairs = givenEntries(value).map(([key, item]): [string, string] => [key, textOf(item)])
  if (explode) return pairs
  return pairs.length === 0 ? [] : [[name, pairs.flat().join(separator)]]
}

/** `filter[a][b]=1`; items of a list as `ids[]=1`, numbered if they are objects. */
function deep(name: string, value: unknown): [string, string][] {
  if (!isGiven(value)) return []
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]]
  if (!Array.isArray(value)) return givenEntries(value).flatMap(([key, item]) => deep(`${name}[${key}]`, item))
  return givenItems(value).flatMap((item, index) => deep(`${name}[${typeof item === 'object' ? index : ''}]`, item))
}
