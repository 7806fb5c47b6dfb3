/** Signed addresses of the embedded provider's pages. Source: contract 8. */
import { jwtVerify, SignJWT } from 'jose'
import type { Identity } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'

/** The page and its parameters. */
export type Ticket = { organizationId: string; by: Identity['principal'] } & (
  | { to: 'checkout'; planKey: string; successUrl: string; cancelUrl: string }
  | { to: 'portal'; returnUrl: string }
)

const lifeMs = dayMs
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

  /** Undefined for an invalid signature or an expired ticket. */
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
