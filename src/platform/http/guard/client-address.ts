/**
 * The client's address. Each proxy appends its peer's address to `X-Forwarded-For`, so the entries of trusted proxies are
 * counted from the right; those before them can be forged.
 */
import { isIP } from 'node:net'

/** `1.2.3.4:5678` and `[::1]:5678`, as some proxies write it. */
const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/
/** An IPv4 address as reported by an IPv6 socket. */
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** The address in a normal form; undefined if the text is not an address. */
function addressIn(text: string): string | undefined {
  const [, inBrackets, beforePort] = withPort.exec(text) ?? []
  const address = (inBrackets ?? beforePort ?? text).replace(mapped, '')
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}

/** The first four groups of an IPv6 address; `::` expands to the missing zeros. */
function firstHalf(address: string): string {
  const [before = '', after] = address.split('::')
  const left = before === '' ? [] : before.split(':')
  const right = after === undefined || after === '' ? [] : after.split(':')
  // a dotted end is two groups
  const rightLength = right.length + (right.at(-1)?.includes('.') ? 1 : 0)
  const zeros = after === undefined ? 0 : Math.max(0, 8 - left.length - rightLength)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * The key by which a client is counted: its IPv4 address, or the /64 network of its IPv6 address, because a client usually
 * controls the whole network. Other values are returned unchanged. Pure.
 */
export const networkOf = (address: string): string => {
  const [bare = ''] = address.split('%')
  return isIP(bare) === 6 ? `${firstHalf(bare)}::/64` : address
}

/**
 * The client's address as recorded by the outermost of this many trusted proxies. Falls back to the peer's address if the
 * header has too few entries or no address there. Undefined if the peer is unknown too. Pure.
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
