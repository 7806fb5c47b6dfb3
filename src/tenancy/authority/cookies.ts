/** Cookies by name. Source: contract 1, "Session": on https their names have the prefix `__Host-`. */

/**
 * The name on the wire. A browser takes a cookie of the prefixed name from this very host alone, and over TLS: no other
 * host of the domain can plant one.
 */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

/** The cookie's value; undefined when the request has none of that name. */
export function cookieIn(request: Request, name: string): string | undefined {
  const header = request.headers.get('cookie')
  return header?.includes(name) ? (new Bun.CookieMap(header).get(name) ?? undefined) : undefined
}
