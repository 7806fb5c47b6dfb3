/** The address of a page of the embedded provider: signed by the server, so that nobody can guess one. Source: contract 8. */
import { jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../platform/time/clock.ts'
import type { By } from '../../runtime/kind.ts'

/** What a page is for. */
export type Ticket = { organizationId: string; by: By } & (
  | { to: 'checkout'; planKey: string; successUrl: string; cancelUrl: string }
  | { to: 'portal'; returnUrl: string }
)

const lifeMs = 24 * 3_600_000
const audience = 'billing-pages'

export class Tickets {
  constructor(private readonly parts: { clock: Clock; key: Uint8Array }) {}

  sign(ticket: Ticket): Promise<string> {
    const { clock, key } = this.parts
    return new SignJWT({ ticket })
      .setProtectedHeader({ alg: 'HS256', typ: 'billing+jwt' })
      .setJti(crypto.randomUUID())
      .setAudience(audience)
      .setExpirationTime(Math.floor((clock.now() + lifeMs) / 1_000))
      .sign(key)
  }

  /** Undefined for what was not signed here, or is too old. */
  async read(token: string): Promise<Ticket | undefined> {
    const { clock, key } = this.parts
    try {
      const { payload } = await jwtVerify(token, key, {
        audience,
        algorithms: ['HS256'],
        typ: 'billing+jwt',
        currentDate: new Date(clock.now()),
      })
      return payload.ticket as Ticket
    } catch {
      return undefined
    }
  }
}
