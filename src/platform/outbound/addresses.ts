/** Which IP addresses a tenant may name. Everything that is not known to be public is refused. Source: design 6; trust 3.2. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { OutboundPolicy } from './policy.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** What is allocated as global unicast. `range()` alone calls `::7f00:1` and `4000::1` "unicast" too. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** What `TROUPE_ALLOW_PRIVATE_ADDRESSES` opens; link-local, multicast, reserved and translated addresses stay closed. */
const privateRanges = new Set<string>(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'])

/** Services that give a machine's own credentials away and that no range covers, or only one that may be opened. */
const metadataServices = new Set([
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure: a public address that only its machines reach
  'fd00:42::42', // Scaleway
  'fd00:ec2::254', // Amazon
  'fd20:ce::254', // Google
])

/** The address in one spelling, IPv4-mapped IPv6 as IPv4; undefined when it is no address, or one with a zone. */
function read(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  try {
    return ipaddr.process(text)
  } catch {
    return undefined
  }
}

const isPublicRange = (address: Address) =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast))

const isMetadata = (address: Address) => metadataServices.has(address.toString())

/** Whether the whole internet knows this address as one host's. False for what cannot be read. */
export function isPublicAddress(text: string): boolean {
  const address = read(text)
  return address !== undefined && isPublicRange(address) && !isMetadata(address)
}

/** Whether the policy lets a tenant name this address. False for what cannot be read. */
export function isAllowedAddress(text: string, policy: OutboundPolicy): boolean {
  const address = read(text)
  if (!address || isMetadata(address)) return false
  return isPublicRange(address) || (policy.allowPrivateAddresses && privateRanges.has(address.range()))
}

/** Whether both are spellings of one address. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [read(one), read(other)]
  return a !== undefined && a.toString() === b?.toString()
}
