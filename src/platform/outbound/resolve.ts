/** Resolves a host to the addresses that may be connected to. Source: design 6; trust 3.2, points 3 and 7. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isAllowedAddress } from './addresses.ts'
import { OutboundError } from './error.ts'
import type { OutboundPolicy } from './policy.ts'
import { assertPlainAllowed, unlessSet } from './url.ts'
import { unlessAborted } from './wait.ts'

/** All addresses of a name, the preferred one first. Rejects or returns none if it has none. */
export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>

/** The system's resolver: hosts file, then DNS. */
export const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true, order: 'verbatim' })

/**
 * Resolves once per request. One refused address refuses the host: a name with both a public and a private address is
 * probably an attack. Throws OutboundError `dns_error` or `blocked_address`.
 */
export async function resolveAllowed(
  host: string,
  { lookup, policy, plain, signal }: { lookup: Lookup; policy: OutboundPolicy; plain: boolean; signal: AbortSignal },
): Promise<string[]> {
  const addresses = isIP(host) !== 0 ? [host] : await namesakes(host, lookup, signal)
  for (const address of addresses) {
    if (!isAllowedAddress(address, policy)) throw blocked(`${host} is ${address}`, policy)
    if (plain && policy.production) assertPlainAllowed(address)
  }
  return addresses
}

/** The message is the same for every address, so that it does not reveal what the name resolves to. */
export const blocked = (reason: string, { allowPrivateAddresses }: OutboundPolicy) =>
  new OutboundError('blocked_address', leadsInside + (allowPrivateAddresses ? '' : unlessSet), null, {
    cause: new Error(reason),
  })

const leadsInside = 'The host resolves to an address that is not public.'

async function namesakes(host: string, lookup: Lookup, signal: AbortSignal): Promise<string[]> {
  const found = await unlessAborted(lookup(host), signal).catch((cause) => {
    if (signal.aborted) throw cause
    throw noAddress(cause)
  })
  if (found.length === 0) throw noAddress(undefined)
  return found.map(({ address }) => address)
}

const noAddress = (cause: unknown) =>
  new OutboundError('dns_error', 'The host name has no address.', null, cause === undefined ? {} : { cause })
