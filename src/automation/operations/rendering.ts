/**
 * Puts values where the placeholders of a handler stand: `{{input.x}}`, `{{variables.NAME}}`. A value is put in once and
 * never read again, so that nothing in it is taken for a placeholder. The result is counted before it is made: a template
 * may name a large value a thousand times. Source: contract 4, "Precise points".
 */
import { readPlaceholder } from '../../authoring/definitions/placeholders.ts'
import { toolError } from './failure.ts'
import type { Room } from './room.ts'

export interface PlaceholderValues {
  input: unknown
  variables: ReadonlyMap<string, string>
  /** Of all that is rendered with these values together. */
  room: Room
}

const roots = ['input', 'variables'] as const
const placeholder = /\{\{(.*?)\}\}/gs
/** A text that is one placeholder alone. */
export const lone = /^\{\{([^{}]*)\}\}$/
/** What a URL takes as a step to somewhere else. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/**
 * A path with its values percent-encoded. Throws `OperationFailure` where a value is missing, or would make the path lead
 * elsewhere.
 */
export function renderPath(template: string, values: PlaceholderValues): string {
  values.room.take(Buffer.byteLength(template))
  const [path = '', ...query] = template.split('?')
  const segments = path.split('/').map((segment) => {
    if (!segment.includes('{{')) return segment
    const rendered = encoded(segment, values, true)
    if (rendered === '') throw toolError(`There is nothing to put into the path for ${segment}.`)
    if (dotSegment.test(rendered)) throw toolError(`What stands for ${segment} would make the path lead elsewhere.`)
    return rendered
  })
  const search = query.length > 0 ? `?${encoded(query.join('?'), values, false)}` : ''
  return segments.join('/') + search
}

const encoded = (template: string, values: PlaceholderValues, required: boolean): string =>
  template.replace(placeholder, (whole, inner: string) => {
    const value = valueAt(inner, values)
    if (required && (value === undefined || value === null)) {
      throw toolError(`There is nothing to put into the path for ${whole}.`)
    }
    return values.room.text(`%${inner}`, () => encodedText(textOf(value), values.room))
  })

/** It is longer than the text, never shorter: what has no room itself is not encoded. */
function encodedText(text: string, room: Room): string {
  room.fits(text.length)
  return encodeURIComponent(text.toWellFormed())
}

/** The text with its values; undefined when it is one placeholder alone that has none. */
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

/** The same where a list is several values: a placeholder alone that stands for one gives each of its items. */
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

/** Text of a form, with its values percent-encoded. */
export function renderEncoded(template: string, values: PlaceholderValues): string {
  values.room.take(Buffer.byteLength(template))
  return encoded(template, values, false)
}

/** A JSON value with its values; a placeholder alone is the value itself, and nothing where there is none. */
export function renderValue(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') {
    const alone = lone.exec(template)
    if (!alone) return renderText(template, values)
    const value = valueAt(alone[1] as string, values)
    // it is written as JSON, wherever it stands
    values.room.text(`"${alone[1]}`, () => JSON.stringify(value) ?? '')
    return value
  }
  if (Array.isArray(template)) return template.map((item) => renderValue(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, renderValue(item, values)]))
}

/** What stands for a placeholder; undefined where there is nothing. */
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

/** A value as a text of its own: what is none is written as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
