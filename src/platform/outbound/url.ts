/**
 * Rules for the URLs and host names that a tenant may use, without resolving them: the same when a setting is saved and
 * when it is used. Resolved addresses are checked at each request (`resolve.ts`). Source: contract 7; trust 3.2, points
 * 1 to 4.
 */
import { isIP } from 'node:net'
import { isAllowedAddress, isPublicAddress } from './addresses.ts'
import type { OutboundPolicy } from './policy.ts'

/** The rules refuse an address; the message is for its author. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** Appended to refusals that the setting would lift. */
export const unlessSet =
  ' The operator allows private addresses, plain http and any port with TROUPE_ALLOW_PRIVATE_ADDRESSES=true.'

/** Requirements for a URL besides its host. Schemes are without the colon. */
export interface UrlRules {
  schemes: readonly string[]
  /** Allowed only if private addresses are. */
  plainSchemes: readonly string[]
  /** If private addresses are allowed, any port is. */
  ports: readonly number[] | 'any'
}

export const webRules: UrlRules = { schemes: ['https'], plainSchemes: ['http'], ports: [443, 8443] }

/** The longest URL, encoded. */
export const urlCharactersMax = 2048
const hostCharactersMax = 253
const label = /^[a-z0-9_-]{1,63}$/
/** Characters that the parser would silently drop or convert. */
const unexpected = /[\0-\x20\x7f\\]/
const innerNames = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa']
/** Never allowed: these services reveal credentials. */
const metadataNames = ['metadata.google.internal', 'metadata.goog']

/** Parses a URL. Throws AddressRefused. */
export function assertUrlAllowed(text: string, policy: OutboundPolicy, rules: UrlRules = webRules): URL {
  if (text.length > urlCharactersMax) throw new AddressRefused(`The URL has more than ${urlCharactersMax} characters.`)
  if (unexpected.test(text)) throw new AddressRefused('The URL has spaces, control characters or backslashes.')
  const url = URL.parse(text)
  if (!url) throw new AddressRefused('The URL is not valid.')

  assertSchemeAllowed(url, policy, rules)
  if (url.username || url.password) throw new AddressRefused('The URL must not contain a user name or a password.')
  if (url.href.includes('#')) throw new AddressRefused('The URL must not have a fragment.')
  assertPortAllowed(url, policy, rules)
  const host = assertHostAllowed(url.hostname, policy)
  if (isPlain(url) && policy.production && isIP(host) !== 0) assertPlainAllowed(host)
  return url
}

/**
 * Parses a host name or address; returns it in the form for connecting, IPv6 without brackets. Throws AddressRefused.
 */
export function assertHostAllowed(text: string, policy: OutboundPolicy): string {
  const host = hostOf(text)
  if (isIP(host) !== 0) {
    if (isAllowedAddress(host, policy)) return host
    const opens = isAllowedAddress(host, { ...policy, allowPrivateAddresses: true })
    throw new AddressRefused(`The address is not public.${opens ? unlessSet : ''}`)
  }

  const name = host.replace(/\.$/, '')
  if (name.length > hostCharactersMax || !name.split('.').every((part) => label.test(part))) {
    throw new AddressRefused('The host name is not valid.')
  }
  if (isWithin(name, metadataNames)) throw new AddressRefused('The host is a cloud metadata service.')
  if (policy.allowPrivateAddresses) return host
  if (isWithin(name, innerNames)) throw new AddressRefused(`The host name belongs to a private network.${unlessSet}`)
  if (!name.includes('.')) throw new AddressRefused(`The host name needs a domain.${unlessSet}`)
  if (name !== host) throw new AddressRefused('The host name must not end with a dot.')
  return host
}

export const isPlain = ({ protocol }: URL) => protocol === 'http:'

/** In production, plain http is for private addresses only. Throws AddressRefused. */
export function assertPlainAllowed(address: string) {
  if (isPublicAddress(address)) throw new AddressRefused('Public addresses require https.')
}

function assertSchemeAllowed(url: URL, { allowPrivateAddresses }: OutboundPolicy, { schemes, plainSchemes }: UrlRules) {
  const allowed = allowPrivateAddresses ? [...schemes, ...plainSchemes] : schemes
  const scheme = url.protocol.slice(0, -1)
  if (allowed.includes(scheme)) return
  const wanted = `The URL must begin with ${allowed.map((scheme) => `${scheme}://`).join(' or ')}.`
  throw new AddressRefused(plainSchemes.includes(scheme) ? wanted + unlessSet : wanted)
}

function assertPortAllowed({ port }: URL, { allowPrivateAddresses }: OutboundPolicy, { ports }: UrlRules) {
  if (port === '') return // the default port of the scheme
  if (port === '0') throw new AddressRefused('Port 0 is not valid.')
  if (allowPrivateAddresses || ports === 'any' || ports.includes(Number(port))) return
  throw new AddressRefused(`The port must be ${ports.join(' or ')}.${unlessSet}`)
}

/**
 * The host in the form of an http URL: lower case, international names in Punycode, and any form of an IPv4 address
 * (decimal, octal, hexadecimal, shortened) as four numbers. The URL parser leaves hosts of other schemes unchanged.
 */
function hostOf(text: string): string {
  const typed = isIP(text) === 6 && !text.includes('%') ? `[${text}]` : text
  const url = unexpected.test(typed) || /[/?#@]/.test(typed) ? null : URL.parse(`https://${typed}`)
  if (!url?.hostname || url.port !== '' || /:\d*$/.test(typed.replace(/^\[.*\]/, ''))) {
    throw new AddressRefused('The host name is not valid.')
  }
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

const isWithin = (name: string, domains: string[]) =>
  domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
