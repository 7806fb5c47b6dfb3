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
