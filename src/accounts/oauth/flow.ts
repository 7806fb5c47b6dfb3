/**
 * A consent flow between its start and its callback. The server stores nothing of it: its data travels in a cookie
 * of the flow's own, encrypted and authenticated, which is valid only for its bearer and for ten minutes.
 * Source: requirement 4.2; contract 4, "OAuth"; trust 2.4.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import type { Identity } from '../../platform/http/guard/caller.ts'
import { deriveKeyFrom, type KeyRing } from '../../platform/secrets/keyring.ts'
import { seal, Unreadable, unseal } from '../../platform/secrets/sealed.ts'

/** The data of a flow. */
export interface Flow {
  stateHash: string
  /** The credential that started it, which must also complete it. */
  principal: { type: Identity['principal']['type']; id: string; credentialId: string }
  organizationId: string
  projectId: string
  environmentId: string
  presetKey: string
  integrationId: string
  integrationVersion: number
  returnTo: string | null
  /** The code verifier of PKCE. */
  verifier: string
  /** Epoch milliseconds. */
  expiresAt: number
}

export const flowSeconds = 600
/** The limit of browsers for name and value together. */
export const cookieBytesMax = 4096
const form = { typ: 'oauth-flow' }
/** The format of the state. */
const stateForm = /^[A-Za-z0-9_-]{43}$/

export const isState = (text: string | undefined): text is string => text !== undefined && stateForm.test(text)

const digestOf = (state: string) => createHash('sha256').update(state)

/** The digest of a state that is stored. */
export const hashOf = (state: string): string => digestOf(state).digest('base64url')

export const principalOf = ({ principal: { type, id }, credentialId }: Identity): Flow['principal'] => ({
  type,
  id,
  credentialId,
})

/** Whether the flow has this state, this preset and this credential, and has not expired. */
export function belongs(flow: Flow, to: { state: string; presetKey: string; identity: Identity }): boolean {
  const { type, id, credentialId } = flow.principal
  const given = principalOf(to.identity)
  return (
    timingSafeEqual(Buffer.from(flow.stateHash), Buffer.from(hashOf(to.state))) &&
    flow.presetKey === to.presetKey &&
    given.type === type &&
    given.id === id &&
    given.credentialId === credentialId
  )
}

export class FlowCookies {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #primary: string

  /** `secure`: clients come over https, and the cookie is tied to this very host. */
  constructor(
    ring: KeyRing,
    private readonly secure: () => boolean,
  ) {
    this.#primary = ring.primary.id
    this.#keys = new Map([...ring.keys].map(([id, key]) => [id, deriveKeyFrom(key, 'oauth-flows')]))
  }

  /** One for each flow, so that two windows do not end each other's. */
  nameOf(state: string): string {
    return `${this.secure() ? '__Host-' : ''}troupe_oauth_${digestOf(state).digest('hex').slice(0, 12)}`
  }

  /** The `Set-Cookie` header that sends a flow on its way. */
  async issue(state: string, flow: Flow): Promise<string> {
    const kid = this.#primary
    const sealed = await seal(this.#keys.get(kid)!, { ...form, kid }, new TextEncoder().encode(JSON.stringify(flow)))
    return this.#cookie(state, sealed, flowSeconds)
  }

  /** The `Set-Cookie` header that deletes it. */
  clear(state: string): string {
    return this.#cookie(state, '', 0)
  }

  /** The cookie of the request for this state: a flow, nothing, or a value that none of the keys decrypts. */
  async open(state: string, request: Request): Promise<Flow | 'absent' | 'unreadable'> {
    const cookie = new Bun.CookieMap(request.headers.get('cookie') ?? '').get(this.nameOf(state))
    if (!cookie) return 'absent'
    try {
      const { kid } = decodeProtectedHeader(cookie)
      const key = typeof kid === 'string' ? this.#keys.get(kid) : undefined
      if (!key) return 'unreadable'
      const plain = await unseal(key, { ...form, kid: kid as string }, cookie)
      return JSON.parse(new TextDecoder().decode(plain)) as Flow
    } catch (error) {
      // what is no JWE at all is a TypeError
      if (error instanceof Unreadable || error instanceof TypeError) return 'unreadable'
      throw error
    }
  }

  #cookie(state: string, value: string, maxAge: number): string {
    const options = { httpOnly: true, sameSite: 'lax', path: '/', secure: this.secure(), maxAge } as const
    return new Bun.Cookie(this.nameOf(state), value, options).serialize()
  }
}
