/** The headers of a request to a tenant's address, and what a tenant may not set. Source: contract 4; trust 3.2. */
import { UnsendableRequest } from './error.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const method = /^[A-Z]{1,20}$/
const headerCharactersMax = 32 * 1024

/** What frames the message, names the host or speaks to the connection is the client's alone. */
const reserved =
  /^(host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|proxy-.*)$/i

/** Throws UnsendableRequest when the header could not be sent as it is; nothing is dropped or repaired. */
export function assertHeaders(headers: Record<string, string>) {
  let characters = 0
  for (const [name, content] of Object.entries(headers)) {
    if (!token.test(name)) throw new UnsendableRequest('A header has a name that HTTP does not allow.')
    if (reserved.test(name)) throw new UnsendableRequest(`The header ${name} cannot be set.`)
    if (!value.test(content))
      throw new UnsendableRequest(`The header ${name} has a character that HTTP does not allow.`)
    characters += name.length + content.length
  }
  if (characters > headerCharactersMax) throw new UnsendableRequest('The headers are too long.')
}

/** Throws UnsendableRequest for what is no method, or one for proxies. */
export function assertMethod(name: string) {
  if (!method.test(name) || name === 'CONNECT' || name === 'TRACE') {
    throw new UnsendableRequest(`${JSON.stringify(name)} is no method of a request.`)
  }
}
