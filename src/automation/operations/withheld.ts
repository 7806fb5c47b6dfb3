/**
 * Shows a request without the values that its readers may not see: each placeholder of a variable or of the run's context
 * stands in it by its name. The values are not even read.
 */
import { readPlaceholder } from '../../authoring/definitions/placeholders.ts'
import type { HttpHandler, HttpRequest } from './http-request.ts'

interface NamedHandler {
  /** Renders as the original does, with marks in place of the values. */
  handler: HttpHandler
  /** The withheld values, each once: `variables.SHOP`, `run.context.user`. */
  names: readonly string[]
  /** A rendered text with names in place of the marks: `{{variables.SHOP}}`. */
  shown(text: string): string
}

const placeholder = /\{\{(.*?)\}\}/gs

/** A mark is the same in a path, a query, a header and a body, however these are encoded. */
export function withNames(handler: HttpHandler): NamedHandler {
  const mark = `m${crypto.randomUUID().replaceAll('-', '')}x`
  const names: string[] = []
  const text = (template: string) =>
    template.replace(placeholder, (whole, inner: string) => {
      if (!readPlaceholder(inner, ['variables', 'run'])) return whole
      const known = names.indexOf(inner)
      return `${mark}${known === -1 ? names.push(inner) - 1 : known}x`
    })
  const value = (template: unknown): unknown => {
    if (typeof template === 'string') return text(template)
    if (Array.isArray(template)) return template.map(value)
    if (typeof template !== 'object' || template === null) return template
    return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, value(item)]))
  }
  const { path, query, headers, body } = handler
  const named: HttpHandler = {
    ...handler,
    path: text(path),
    ...(query && { query: value(query) as Record<string, string> }),
    ...(headers && { headers: value(headers) as Record<string, string> }),
    ...(body !== undefined && { body: value(body) }),
  }
  const marks = new RegExp(`${mark}(\\d+)x`, 'g')
  return { handler: named, names, shown: (text) => text.replace(marks, (_, place) => `{{${names[Number(place)]}}}`) }
}

/** The whole request with names in place of the marks. */
export const shownRequest = (request: HttpRequest, { shown }: Pick<NamedHandler, 'shown'>): HttpRequest => ({
  method: request.method,
  url: shown(request.url),
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, text]) => [name, shown(text)])),
  ...(request.body !== undefined && { body: shown(request.body) }),
})
