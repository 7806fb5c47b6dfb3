/** Renders the request of an operation over a Connection. Pure. Source: contract 3, `Handler`; contract 4. */

import type { Handler } from '../../authoring/definitions/source.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import { bindingUnavailable, toolError } from './failure.ts'
import { renderBody } from './http-body.ts'
import { type PlaceholderValues, renderFields, renderPath, renderText } from './rendering.ts'
import { assertSendable, Room } from './room.ts'

export type HttpHandler = Extract<Handler, { type: 'http' }>

export interface HttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

const lineBreak = /[\r\n\0]/

/**
 * `secret` is the Connection's credential, or null. Throws `OperationFailure` for values that make the request invalid, for a
 * path outside the Connection, and for a request that is too large.
 */
export function requestOf(
  handler: HttpHandler,
  settings: HttpSettings,
  secret: string | null,
  given: Omit<PlaceholderValues, 'room' | 'styles'>,
): HttpRequest {
  const values = { ...given, styles: handler.styles, room: new Room() }
  const headers = new Map<string, string>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), value)
  for (const [name, value] of Object.entries(settings.headers ?? {})) set(name, value)
  for (const [name, template] of Object.entries(handler.headers ?? {})) {
    const value = renderText(template, values)
    if (value === undefined) continue
    if (lineBreak.test(value)) throw toolError(`The value of the header ${name} has a line break.`)
    set(name, value)
  }
  const body = sendsBody(handler) ? renderBody(handler.body, headers.get('content-type'), values) : undefined
  if (body !== undefined && !headers.has('content-type')) set('content-type', 'application/json')
  if (!headers.has('accept')) set('accept', 'application/json, */*;q=0.5')
  // last, so that nothing overrides it
  const credentials = credentialHeader(settings, secret)
  if (credentials) set(...credentials)
  const url = urlOf(handler, settings, values)
  assertSendable(url, ...[...headers].flat(), body ?? '')
  return {
    method: handler.method,
    url,
    headers: Object.fromEntries(headers),
    ...(body === undefined ? {} : { body }),
  }
}

function urlOf({ path, query = {} }: HttpHandler, { baseUrl }: HttpSettings, values: PlaceholderValues): string {
  const base = URL.parse(baseUrl)
  if (!base) throw bindingUnavailable('The base URL of the Connection is not valid.')
  const root = base.pathname.replace(/\/+$/, '')
  const url = URL.parse(base.origin + root + renderPath(path, values))
  if (url?.origin !== base.origin || !(url.pathname === root || url.pathname.startsWith(`${root}/`))) {
    throw toolError('The path is outside the base URL of the Connection.')
  }
  // built once: it may have very many parameters
  const search = new URLSearchParams(url.search)
  const before = search.size
  for (const [name, template] of Object.entries(query)) {
    for (const field of renderFields(name, template, values)) search.append(...field)
  }
  // a space is %20, which every server understands: + is one in forms only
  if (search.size > before) url.search = search.toString().replaceAll('+', '%20')
  return url.href
}

const sendsBody = ({ body, method }: HttpHandler) => body !== undefined && method !== 'GET' && method !== 'HEAD'

export function credentialHeader(
  { auth, headerName }: HttpSettings,
  secret: string | null,
): [string, string] | undefined {
  if (auth === undefined) return undefined
  if (secret === null) throw bindingUnavailable('The Connection requires a credential and has none.')
  if (lineBreak.test(secret)) throw bindingUnavailable('The credential of the Connection has a line break.')
  if (auth === 'basic' && !secret.includes(':')) {
    throw bindingUnavailable('The credential of the Connection has no colon: auth: basic takes user:password.')
  }
  if (auth === 'bearer') return ['authorization', `Bearer ${secret}`]
  if (auth === 'basic') return ['authorization', `Basic ${Buffer.from(secret).toString('base64')}`]
  return [headerName ?? 'authorization', secret]
}
