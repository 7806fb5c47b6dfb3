/**
 * Replaces the placeholders of a handler by values: `{{input.x}}`, `{{variables.NAME}}`. Inserted values are not scanned for
 * placeholders. The size of the result is checked before it is built, because a template may repeat a large value. Source:
 * contract 4, "Precise points".
 */
import { readPlaceholder } from '../../authoring/definitions/placeholders.ts'
import { toolError } from './failure.ts'
import type { Room } from './room.ts'

export interface PlaceholderValues {
  input: unknown
  variables: ReadonlyMap<string, string>
  /** Shared by everything that is rendered with these values. */
  room: Room
}

const roots = ['input', 'variables'] as const
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
    return values.room.text(`%${inner}`, () => encodedText(textOf(value), values.room))
  })

/** Encoding never shortens the text, so its room is checked before. */
function encodedText(text: string, room: Room): string {
  room.fits(text.length)
  return encodeURIComponent(text.toWellFormed())
}

/** The text with its values; undefined if it is a single placeholder without a value. */
export function renderText(template: string, values: PlaceholderValues): string | undefined {
  const { room } = values
  const put = (inner: string) => room.text(inner, () => textOf(valueAt(inner, values)))
  const alone = lone.exec(template)
  if (alone) {
    const value = valueAt(alone[1] as string, values)
    return value === undefined || value === null ? undefined : put(alone[1] as string)
  }
  room.take(Buffer.byteLength(template))
  return template.replace(placeholder, (_, inner: string) => put(inner))
}

/** The same with several results: a single placeholder for a list gives each of its items. */
export function renderTexts(template: string, values: PlaceholderValues): string[] {
  const inner = lone.exec(template)?.[1]
  const value = inner === undefined ? undefined : valueAt(inner, values)
  if (Array.isArray(value)) {
    const given = value.filter((item) => item !== undefined && item !== null)
    return given.map((item) => {
      const text = textOf(item)
      values.room.take(Buffer.byteLength(text))
      return text
    })
  }
  const text = renderText(template, values)
  return text === undefined ? [] : [text]
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
function valueAt(inner: string, { input, variables }: PlaceholderValues): unknown {
  const found = readPlaceholder(inner, roots)
  if (!found) return undefined
  if (found.root === 'variables') return variables.get(found.path[0] as string)
  let value = input
  for (const name of found.path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** A value as text: strings unchanged, others as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
