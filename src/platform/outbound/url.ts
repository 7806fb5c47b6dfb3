/**
 * Which URLs and host names a tenant may name, judged without asking anybody: the same rules when a setting is saved and when
 * it is used. What a name resolves to is judged at each request (`resolve.ts`). Source: contract 7; trust 3.2, points 1 to 4.
 */
import { isIP } from 'node:net'
import { isAllowedAddress, isPublicAddress } from './addresses.ts'
import type { OutboundPolicy } from './policy.ts'

/** The rules refuse an address; the message says why, in words for whoever typed it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** Behind a refusal that this setting would spare. */
export const unlessSet =
  ' The operator allows private addresses, plain http and any port with TROUPE_ALLOW_PRIVATE_ADDRESSES=true.'

/** What besides the host is asked of a URL. Without a scheme's colon. */
export interface UrlRules {
  schemes: readonly string[]
  /** Allowed only where private addresses are. */
  plainSchemes: readonly string[]
  /** Where private addresses are allowed, any port is. */
  ports: readonly number[] | 'any'
}

export const webRules: UrlRules = { schemes: ['https'], plainSchemes: ['http'], ports: [443, 8443] }

const urlCharactersMax = 2048
const hostCharactersMax = 253
const label = /^[a-z0-9_-]{1,63}$/
/** What the parser would drop or turn without a word. */
const unexpected = /[\0-\x20\x7f\\]/
const innerNames = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa']
/** Closed to everybody: what answers there gives credentials away. */
const metadataNames = ['metadata.google.internal', 'metadata.goog']

/** Parses a URL and answers it. Throws AddressRefused. */
export function assertUrlAllowed(text: string, policy: OutboundPolicy, rules: UrlRules = webRules): URL {
  if (text.length > urlCharactersMax) throw new AddressRefused(`The URL has more than ${urlCharactersMax} characters.`)
  if (unexpected.test(text)) throw new AddressRefused('The URL has spaces, control characters or backslashes.')
  const url = URL.parse(text)
  if (!url) throw new AddressRefused('This is not a URL.')

  assertSchemeAllowed(url, policy, rules)
  if (url.username || url.password) throw new AddressRefused('The URL may not carry a user name or a password.')
  if (url.href.includes('#')) throw new AddressRefused('The URL may not have a fragment.')
  assertPortAllowed(url, policy, rules)
  const host = assertHostAllowed(url.hostname, policy)
  if (isPlain(url) && policy.production && isIP(host) !== 0) assertPlainAllowed(host)
  return url
}

/** Parses a host name or address and answers it as it is connected to, IPv6 without brackets. Throws AddressRefused. */
export function assertHostAllowed(text: string, policy: OutboundPolicy): string {
  const host = hostOf(text)
  if (isIP(host) !== 0) {
    if (isAllowedAddress(host, policy)) return host
    const opens = isAllowedAddress(host, { ...policy, allowPrivateAddresses: true })
    throw new AddressRefused(`The address is not a public one.${opens ? unlessSet : ''}`)
  }

  const name = host.replace(/\.$/, '')
  if (name.length > hostCharactersMax || !name.split('.').every((part) => label.test(part))) {
    throw new AddressRefused('The host name is not valid.')
  }
  if (isWithin(name, metadataNames)) throw new AddressRefused('The host is the metadata service of a cloud.')
  if (policy.allowPrivateAddresses) return host
  if (isWithin(name, innerNames)) throw new AddressRefused(`The host name is one of a private network.${unlessSet}`)
  if (!name.includes('.')) throw new AddressRefused(`The host name needs a domain.${unlessSet}`)
  if (name !== host) throw new AddressRefused('The host name may not end with a dot.')
  return host
}

export const isPlain = ({ protocol }: URL) => protocol === 'http:'

/** In production, plain http leaves for private addresses only. Throws AddressRefused. */
export function assertPlainAllowed(address: string) {
  if (isPublicAddress(address)) throw new AddressRefused('A public address is spoken to by https only.')
}

function assertSchemeAllowed(url: URL, { allowPrivateAddresses }: OutboundPolicy, { schemes, plainSchemes }: UrlRules) {
  const allowed = allowPrivateAddresses ? [...schemes, ...plainSchemes] : schemes
  const scheme = url.protocol.slice(0, -1)
  if (allowed.includes(scheme)) return
  const wanted = `The URL must begin with ${allowed.map((scheme) => `${scheme}://`).join(' or ')}.`
  throw new AddressRefused(plainSchemes.includes(scheme) ? wanted + unlessSet : wanted)
}

function assertPortAllowed({ port }: URL, { allowPrivateAddresses }: OutboundPolicy, { ports }: UrlRules) {
  if (port === '') return // the scheme's own
  if (port === '0') throw new AddressRefused('There is no port 0.')
  if (allowPrivateAddresses || ports === 'any' || ports.includes(Number(port))) return
  throw new AddressRefused(`The port must be ${ports.join(' or ')}.${unlessSet}`)
}

/**
 * The host as an http URL has it: in lower case, international names in Punycode, and every spelling of an IPv4 address
 * (decimal, octal, hexadecimal, shortened) as four numbers. Other schemes leave it as it was typed.
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
