/** Renders the body of a request by its `Content-Type`: JSON, form or text. Pure. Source: contract 4, "HTTP bodies". */
import { toolError } from './failure.ts'
import { lone, type PlaceholderValues, renderEncoded, renderText, renderValue, textOf } from './rendering.ts'

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
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      values.room.take(Buffer.byteLength(name))
      if (item !== undefined && item !== null) form.append(name, textOf(item))
    }
  }
  return form.toString()
}
