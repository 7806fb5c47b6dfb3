/**
 * Browsers that have signed in before. A cookie names the browser and is signed for one account. It proves only that someone
 * with the account's password used this browser, and authenticates nothing. Attempts from such a browser are counted apart
 * from strangers', so that guessing does not lock the owner out. It outlives the session. Source: contract 1, "Session";
 * OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { cookieIn, cookieName } from './cookies.ts'

const lifeMs = 180 * dayMs
/** A sign-in renews a cookie of this age. */
const renewMs = 30 * dayMs

/** The time of signing (base 36), the browser's id, the signature. */
const form = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

interface KnownDevicesParts {
  clock: Pick<Clock, 'now'>
  /** Signs the cookies. */
  key: Uint8Array
  /** Whether the cookie is sent over TLS only. */
  secure: boolean
}

interface Device {
  id: string
  signedAt: number
}

export class KnownDevices {
  readonly #name: string

  constructor(private readonly parts: KnownDevicesParts) {
    this.#name = cookieName('troupe_device', parts.secure)
  }

  /** The browser's id if it signed in to the account (its user's id) in the last 180 days. */
  idIn(request: Request, account: string): string | undefined {
    return this.#read(request, account)?.id
  }

  /** The `Set-Cookie` header after a sign-in; undefined if the cookie is still recent. */
  cookie(request: Request, account: string): string | undefined {
    const { clock, secure } = this.parts
    const known = this.#read(request, account)
    const now = clock.now()
    if (known && now - known.signedAt < renewMs) return undefined
    const id =
      known?.id ?? crypto.getRandomValues(new Uint8Array(16)).toBase64({ alphabet: 'base64url', omitPadding: true })
    const value = `${now.toString(36)}.${id}.${this.#signature(account, { id, signedAt: now })}`
    const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: lifeMs / 1000 } as const
    return new Bun.Cookie(this.#name, value, options).serialize()
  }

  #read(request: Request, account: string): Device | undefined {
    const [, at, id, signature] = form.exec(cookieIn(request, this.#name) ?? '') ?? []
    if (at === undefined || id === undefined || signature === undefined) return undefined
    const device = { id, signedAt: Number.parseInt(at, 36) }
    const age = this.parts.clock.now() - device.signedAt
    const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(this.#signature(account, device)))
    return isSigned && age < lifeMs ? device : undefined
  }

  #signature(account: string, { id, signedAt }: Device): string {
    return createHmac('sha256', this.parts.key).update(`device\n${signedAt}\n${id}\n${account}`).digest('base64url')
  }
}
