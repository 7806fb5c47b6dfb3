/**
 * Where a request comes from. Each proxy adds the address that it was called from at the end of `X-Forwarded-For`, so what
 * the proxies that are trusted have written is counted from the right; what stands before it anybody may have made up.
 */
import { isIP } from 'node:net'

/** `1.2.3.4:5678` and `[::1]:5678`, as some proxies write it. */
const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/
/** An IPv4 address as a socket of IPv6 tells it. */
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** The address in one form; undefined for what is none. */
function addressIn(text: string): string | undefined {
  const [, inBrackets, beforePort] = withPort.exec(text) ?? []
  const address = (inBrackets ?? beforePort ?? text).replace(mapped, '')
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}

/** The first four groups of an IPv6 address; `::` stands for as many zeros as are missing. */
function firstHalf(address: string): string {
  const [before = '', after] = address.split('::')
  const left = before === '' ? [] : before.split(':')
  const right = after === undefined || after === '' ? [] : after.split(':')
  // a dotted end stands for two groups
  const rightLength = right.length + (right.at(-1)?.includes('.') ? 1 : 0)
  const zeros = after === undefined ? 0 : Math.max(0, 8 - left.length - rightLength)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * What a client is counted as: its IPv4 address, or the /64 network of its IPv6 address, since whoever has one address
 * of such a network has all of them. Anything else stays as it is. Pure.
 */
export const networkOf = (address: string): string => {
  const [bare = ''] = address.split('%')
  return isIP(bare) === 6 ? `${firstHalf(bare)}::/64` : address
}

/**
 * The client's address: as the outermost of so many trusted proxies has written it, else that of the peer. With proxies
 * that have not all written one, or not an address, it is the peer's. Undefined when that is unknown too. Pure.
 */
export function clientAddress(
  forwardedFor: string | null,
  peer: string | undefined,
  trustedProxies: number,
): string | undefined {
  const own = peer === undefined ? undefined : (addressIn(peer) ?? peer)
  if (trustedProxies === 0 || forwardedFor === null) return own
  const written = forwardedFor.split(',').at(-trustedProxies)?.trim()
  return (written && addressIn(written)) || own
}
