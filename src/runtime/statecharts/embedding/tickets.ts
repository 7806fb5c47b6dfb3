/**
 * Tickets of embedded charts: the holder of a ticket may watch one actor for a limited time. The server seals tickets,
 * so that they cannot be forged or changed, and do not reveal their issuer. Source: contract 9.
 */
import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { invalidTicket } from '../../../platform/http/answers/errors.ts'
import type { CredentialHolder } from '../../../platform/http/guard/caller.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Address } from '../../kind.ts'

interface EmbedTicket {
  address: Address
  /** The issuing credential, which bounds the ticket's access. */
  holder: CredentialHolder
  /** Epoch milliseconds, in whole seconds. */
  endsAt: number
}

const audience = 'embedded-charts'

/** The most characters of a ticket; issued tickets are much shorter. */
export const ticketLengthMax = 2048

export class EmbedTickets {
  constructor(private readonly parts: { clock: Pick<Clock, 'now'>; key: Uint8Array }) {}

  issue({ address, holder: { principal, credentialId, organizationId }, endsAt }: EmbedTicket): Promise<string> {
    return new EncryptJWT({ address, holder: { principal, credentialId, organizationId } })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(audience)
      .setExpirationTime(Math.floor(endsAt / 1_000))
      .encrypt(this.parts.key)
  }

  /** Throws `invalid_ticket` (403). */
  async read(ticket: string): Promise<EmbedTicket> {
    const { clock, key } = this.parts
    try {
      const { payload } = await jwtDecrypt<Pick<EmbedTicket, 'address' | 'holder'>>(ticket, key, {
        audience,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      })
      return { address: payload.address, holder: payload.holder, endsAt: (payload.exp as number) * 1_000 }
    } catch (error) {
      throw invalidTicket(error instanceof errors.JWTExpired ? 'expired' : 'unknown')
    }
  }
}
