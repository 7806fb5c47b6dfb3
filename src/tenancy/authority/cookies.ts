/** Cookies by name. Source: contract 1, "Session": on https their names have the prefix `__Host-`. */

/**
 * The name on the wire. Browsers accept a cookie with the `__Host-` prefix only from this host and over TLS, so that no other
 * host of the domain can plant one.
 */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

/** The cookie's value; undefined if the request has no such cookie. */
export function cookieIn(request: Request, name: string): string | undefined {
  const header = request.headers.get('cookie')
  return header?.includes(name) ? (new Bun.CookieMap(header).get(name) ?? undefined) : undefined
}
