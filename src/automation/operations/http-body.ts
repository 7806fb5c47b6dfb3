/** Renders the body of a request by its `Content-Type`: JSON, form or text. Pure. Source: contract 4, "HTTP bodies". */
import type { ParameterStyle } from '../../authoring/definitions/source.ts'
import { toolError } from './failure.ts'
import { lone, type PlaceholderValues, renderEncoded, renderText, renderValue, styleOf } from './rendering.ts'
import { fieldsIn, textOf } from './styles.ts'

/**
 * `contentType` is JSON by default. Undefined if there is no body. Throws `OperationFailure` for a body that the content type
 * cannot represent.
 */
export function renderBody(
  template: unknown,
  contentType: string | undefined,
  values: PlaceholderValues,
): string | undefined {
  const [type = ''] = (contentType ?? 'application/json').toLowerCase().split(';')
  const mediaType = type.trim()
  if (/[/+]json$/.test(mediaType)) return JSON.stringify(renderValue(template, values))
  if (mediaType === 'application/x-www-form-urlencoded') return formOf(template, values)
  if (mediaType.startsWith('multipart/')) {
    throw toolError(
      `A body cannot be sent as ${mediaType}: set the header Content-Type of the operation to application/json, ` +
        'application/x-www-form-urlencoded or a text type.',
    )
  }
  return plainText(template, values)
}

function plainText(template: unknown, values: PlaceholderValues): string | undefined {
  if (typeof template === 'string') return renderText(template, values)
  return JSON.stringify(renderValue(template, values))
}

/** The fields of an object; a text is already a form, into which values are inserted percent-encoded. */
function formOf(template: unknown, values: PlaceholderValues): string | undefined {
  if (typeof template === 'string' && !lone.test(template)) return renderEncoded(template, values)
  const fields = renderValue(template, values)
  if (fields === undefined || fields === null || typeof fields === 'string') return fields ?? undefined
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    throw toolError('The body is a form (application/x-www-form-urlencoded), so it must be an object of fields.')
  }
  const templates = typeof template === 'object' ? (template as Record<string, unknown>) : {}
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const [field, text] of fieldsOf(name, value, styleOf(templates[name], values))) {
      values.room.take(Buffer.byteLength(field))
      form.append(field, text)
    }
  }
  return form.toString()
}

/** Without a style, a list repeats its field, an object becomes JSON, and missing values are omitted. */
function fieldsOf(name: string, value: unknown, style: ParameterStyle | undefined): [string, string][] {
  if (style || Array.isArray(value)) return fieldsIn(style ?? { style: 'form', explode: true }, name, value)
  return value === undefined || value === null ? [] : [[name, textOf(value)]]
}
