/**
 * Replaces the placeholders of a handler by values: `{{input.x}}`, `{{run.context.x}}`, `{{variables.NAME}}`. Inserted values are not scanned for
 * placeholders. The size of the result is checked before it is built, because a template may repeat a large value. Source:
 * contract 4, "Precise points".
 */
import { readPlaceholder } from '../../authoring/definitions/placeholders.ts'
import type { ParameterStyle } from '../../authoring/definitions/source.ts'
import { toolError } from './failure.ts'
import type { Room } from './room.ts'
import { fieldsIn, type Styles, textIn, textOf } from './styles.ts'

export interface PlaceholderValues {
  input: unknown
  /** The run's context for its operations. */
  runContext?: unknown
  variables: ReadonlyMap<string, string>
  /** The serialization of lists and objects, by placeholder. */
  styles?: Styles | undefined
  /** Shared by everything that is rendered with these values. */
  room: Room
}

const roots = ['input', 'run', 'variables'] as const
const placeholder = /\{\{(.*?)\}\}/gs
/** A text that consists of one placeholder. */
export const lone = /^\{\{([^{}]*)\}\}$/
/** A segment that a URL resolves relative to its parent. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** A path with percent-encoded values. Throws `OperationFailure` for a missing value or one that changes the path's structure. */
export function renderPath(template: string, values: PlaceholderValues): string {
  values.room.take(Buffer.byteLength(template))
  const [path = '', ...query] = template.split('?')
  const segments = path.split('/').map((segment) => {
    if (!segment.includes('{{')) return segment
    const rendered = encoded(segment, values, true)
    if (rendered === '') throw toolError(`The path has no value for ${segment}.`)
    if (dotSegment.test(rendered)) throw toolError(`The value of ${segment} would change the structure of the path.`)
    return rendered
  })
  const search = query.length > 0 ? `?${encoded(query.join('?'), values, false)}` : ''
  return segments.join('/') + search
}

const encoded = (template: string, values: PlaceholderValues, required: boolean): string =>
  template.replace(placeholder, (whole, inner: string) => {
    const value = valueAt(inner, values)
    if (required && (value === undefined || value === null)) {
      throw toolError(`The path has no value for ${whole}.`)
    }
    const style = styleOf(`{{${inner}}}`, values)
    const encode = (text: string) => encodedText(text, values.room)
    return values.room.text(`%${inner}`, () =>
      style ? textIn(style, lastOf(inner), value, encode) : encode(textOf(value)),
    )
  })

/** Encoding never shortens the text, so its room is checked before. */
function encodedText(text: string, room: Room): string {
  room.fits(text.length)
  return encodeURIComponent(text.toWellFormed())
}

const lastOf = (inner: string) => inner.slice(inner.lastIndexOf('.') + 1)

/** The text with its values; undefined if it is a single placeholder without a value. */
export function renderText(template: string, values: PlaceholderValues): string | undefined {
  const { room } = values
  const put = (inner: string) => room.text(inner, () => textOf(valueAt(inner, values)))
  const alone = lone.exec(template)
  if (alone) {
    const value = valueAt(alone[1] as string, values)
    if (value === undefined || value === null) return undefined
    const style = styleOf(template, values)
    return style
      ? room.text(`,${alone[1]}`, () => textIn(style, lastOf(alone[1] as string), value, (text) => text))
      : put(alone[1] as string)
  }
  room.take(Buffer.byteLength(template))
  return template.replace(placeholder, (_, inner: string) => put(inner))
}

/** The style of a template that is a single placeholder; undefined if there is none. */
export function styleOf(template: unknown, { styles }: PlaceholderValues): ParameterStyle | undefined {
  const inner = typeof template === 'string' ? lone.exec(template)?.[1] : undefined
  return inner !== undefined && styles && Object.hasOwn(styles, inner) ? styles[inner] : undefined
}

/** The fields of a query or a form that a template yields under a name: none without a value, several for a list. */
export function renderFields(name: string, template: string, values: PlaceholderValues): [string, string][] {
  const inner = lone.exec(template)?.[1]
  const value = inner === undefined ? undefined : valueAt(inner, values)
  const style = styleOf(template, values)
  if (style === undefined && !Array.isArray(value)) {
    const text = renderText(template, values)
    if (text === undefined) return []
    values.room.take(Buffer.byteLength(name))
    return [[name, text]]
  }
  const fields = fieldsIn(style ?? { style: 'form', explode: true }, name, value)
  for (const [field, text] of fields) values.room.take(Buffer.byteLength(field) + Buffer.byteLength(text))
  return fields
}

/** Form text with percent-encoded values. */
export function renderEncoded(template: string, values: PlaceholderValues): string {
  values.room.take(Buffer.byteLength(template))
  return encoded(template, values, false)
}

/** A JSON value with its values; a single placeholder becomes the value itself, or undefined. */
export function renderValue(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') {
    const alone = lone.exec(template)
    if (!alone) return renderText(template, values)
    const value = valueAt(alone[1] as string, values)
    // it is always sent as JSON
    values.room.text(`"${alone[1]}`, () => JSON.stringify(value) ?? '')
    return value
  }
  if (Array.isArray(template)) return template.map((item) => renderValue(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, renderValue(item, values)]))
}

/** The value of a placeholder; undefined if there is none. */
function valueAt(inner: string, { input, runContext, variables }: PlaceholderValues): unknown {
  const found = readPlaceholder(inner, roots)
  if (!found) return undefined
  if (found.root === 'variables') return variables.get(found.path[0] as string)
  const isOfRun = found.root === 'run'
  let value = isOfRun ? runContext : input
  for (const name of isOfRun ? found.path.slice(1) : found.path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
