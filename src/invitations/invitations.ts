/** Invitations: how somebody without a user comes into an organization. Source: contract 1, "Invitations". */
import { StaleWrite } from '../../storage/errors.ts'
import { newId } from '../../storage/ids.ts'
import {
  deleteInvitation,
  deleteInvitationOf,
  findInvitationOf,
  insertInvitation,
  listExpiredInvitations,
  listInvitations,
  withdrawInvitation,
} from '../../storage/invitations.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { Role } from '../http/caller.ts'
import { notFound } from '../http/errors.ts'
import type { Keep } from '../http/keep.ts'
import { timestamp } from '../http/timestamp.ts'
import { hashSecret, newToken } from '../keys/secret.ts'
import type { Clock } from '../runtime/clock.ts'

const lifeMs = 7 * 24 * 60 * 60 * 1000

export interface NewInvitation {
  organizationId: string
  /** Lower case. */
  email: string
  role: Role
  invitedBy: string
}

/** What the inviter is told, once. */
export interface InvitationSecret {
  id: string
  token: string
  /** RFC 3339. */
  expiresAt: string
}

export class Invitations {
  constructor(readonly parts: { store: Store; clock: Pick<Clock, 'now'> }) {}

  /** An invitation to be committed by whoever invites; it replaces an earlier one for the same address. */
  prepare({ organizationId, email, role, invitedBy }: NewInvitation): {
    invitation: InvitationSecret
    writes: Write[]
  } {
    const { store, clock } = this.parts
    const now = clock.now()
    const id = newId('ivt', now)
    const token = newToken()
    const expiresAt = now + lifeMs
    const row = {
      id,
      organization_id: organizationId,
      email,
      role,
      token_hash: hashSecret(token),
      invited_by: invitedBy,
      created_at: now,
      expires_at: expiresAt,
    }
    return {
      invitation: { id, token, expiresAt: timestamp(expiresAt) },
      writes: [deleteInvitationOf(store, { organizationId, email }), insertInvitation(store, row)],
    }
  }

  /** Those of an organization that can still be accepted, newest first, from before an id. */
  list(organizationId: string, before: string, limit: number) {
    const { store, clock } = this.parts
    return store.all(listInvitations(store, { organizationId, before, now: clock.now(), limit }))
  }

  /** Throws `notFound` unless the invitation can still be accepted. */
  async assertThere(organizationId: string, id: string): Promise<void> {
    const { store, clock } = this.parts
    const found = await store.first(findInvitationOf(store, { organizationId, id, now: clock.now() }))
    if (!found) throw notFound()
  }

  /** Takes an invitation back: its token opens nothing any more. Throws `notFound`. */
  async withdraw(organizationId: string, id: string, keep: Keep): Promise<void> {
    const { store, clock } = this.parts
    const withdrawal = withdrawInvitation(store, { organizationId, id, now: clock.now() })
    try {
      await store.commit([withdrawal, ...keep(undefined)])
    } catch (error) {
      throw error instanceof StaleWrite ? notFound() : error
    }
  }

  /** Deletes up to `limit` invitations whose time is over; says how many. To be called now and then. */
  async prune(limit: number): Promise<number> {
    const { store, clock } = this.parts
    const expired = await store.all(listExpiredInvitations(store, { now: clock.now(), limit }))
    if (expired.length > 0) await store.commit(expired.map((invitation) => deleteInvitation(store, invitation)))
    return expired.length
  }
}
