/** Validates the headers of requests to tenants' addresses. Source: contract 4; trust 3.2. */
import { UnsendableRequest } from './error.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const method = /^[A-Z]{1,20}$/
const headerCharactersMax = 32 * 1024

/** The client alone sets the headers for framing, host and connection. */
const reserved =
  /^(host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|proxy-.*)$/i

/** Throws UnsendableRequest if a header cannot be sent unchanged; nothing is dropped or repaired. */
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

/** Throws UnsendableRequest for an invalid method, or one for proxies. */
export function assertMethod(name: string) {
  if (!method.test(name) || name === 'CONNECT' || name === 'TRACE') {
    throw new UnsendableRequest(`${JSON.stringify(name)} is not a valid request method.`)
  }
}
