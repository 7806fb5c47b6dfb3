/** Which IP addresses a tenant may use; those not known to be public are refused. Source: design 6; trust 3.2. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { OutboundPolicy } from './policy.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The range allocated as global unicast. `range()` also calls `::7f00:1` and `4000::1` "unicast". */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** The ranges that `TROUPE_ALLOW_PRIVATE_ADDRESSES` opens: not link-local, multicast, reserved or translated ones. */
const privateRanges = new Set<string>(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'])

/** Metadata services, which reveal a machine's own credentials, outside the ranges that are always blocked. */
const metadataServices = new Set([
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure: a public address that only its machines reach
  'fd00:42::42', // Scaleway
  'fd00:ec2::254', // Amazon
  'fd20:ce::254', // Google
])

/** The address in normal form, IPv4-mapped IPv6 as IPv4; undefined if it is invalid or has a zone. */
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

/** Whether the address is a public unicast address. False for invalid text. */
export function isPublicAddress(text: string): boolean {
  const address = read(text)
  return address !== undefined && isPublicRange(address) && !isMetadata(address)
}

/** Whether the policy allows a tenant to use this address. False for invalid text. */
export function isAllowedAddress(text: string, policy: OutboundPolicy): boolean {
  const address = read(text)
  if (!address || isMetadata(address)) return false
  return isPublicRange(address) || (policy.allowPrivateAddresses && privateRanges.has(address.range()))
}

/** Whether both texts are the same address. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [read(one), read(other)]
  return a !== undefined && a.toString() === b?.toString()
}
