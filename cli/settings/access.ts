/** The server of a command, and its credentials. */
import { CommandError, usageError } from '../terminal/exit-codes.ts'
import { readProfiles } from './profiles.ts'

export interface AccessOptions {
  url?: string | undefined
  profile?: string | undefined
}

export interface Access {
  url: string
  key: string
}

export const defaultUrl = 'http://localhost:3000'

/** The address without a trailing slash. Throws unless it is an http address. */
export function serverUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usageError(`${JSON.stringify(given)} is not the address of a server, such as https://troupe.example.com.`)
  }
  return url.href.replace(/\/+$/, '')
}

const isLoopback = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)

/** Whether a key would be sent unencrypted. */
export const isInTheClear = (url: string) => url.startsWith('http:') && !isLoopback(url)

const signedOut = (message: string, url: string) =>
  new CommandError('signedOut', 'signed_out', message, [
    `Sign in with: troupe login --url ${url}`,
    'Or set TROUPE_API_KEY, and TROUPE_URL for another server.',
  ])

/**
 * `--profile` names a server with a sign-in. Otherwise the address is `--url`, `TROUPE_URL`, or that of the current
 * profile, and the key is `TROUPE_API_KEY`, `TROUPE_KEY` (which the SDK reads), or the one stored for exactly this
 * address: a stored key is sent nowhere else.
 */
export function accessOf({ url, profile }: AccessOptions): Access {
  if (profile !== undefined) {
    if (url !== undefined) throw usageError('Name a profile or an address, not both.')
    const found = readProfiles().profiles[profile]
    if (!found) throw usageError(`There is no profile ${profile}.`, 'troupe profiles lists them.')
    return found
  }
  const { TROUPE_URL, TROUPE_API_KEY, TROUPE_KEY } = process.env
  const key = TROUPE_API_KEY || TROUPE_KEY
  const named = url ?? (TROUPE_URL || undefined)
  const stored = key && named ? { current: null, profiles: {} } : readProfiles()
  const current = stored.profiles[stored.current ?? '']
  const address = serverUrl(named ?? current?.url ?? defaultUrl)
  if (key) return { url: address, key }
  const matching =
    current?.url === address ? current : Object.values(stored.profiles).find((one) => one.url === address)
  if (!matching) throw signedOut(`Not signed in to ${address}.`, address)
  return matching
}
