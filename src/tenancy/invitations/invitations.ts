/** Invitations to an organization, for addresses and for accounts. Source: contract 1, "Invitations". */
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { BackgroundStore, Store, Write } from '../../../storage/store.ts'
import {
  deleteInvitation,
  deleteInvitationOf,
  deleteInvitationOfUser,
  findInvitationOf,
  insertInvitation,
  listExpiredInvitations,
  listInvitations,
  withdrawInvitation,
} from '../../../storage/tenancy/invitations.ts'
import { ApiError, invalid, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Role } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { MailLimiter } from '../../platform/limits/mails.ts'
import { isMailable } from '../../platform/mail/address.ts'
import type { Mails } from '../../platform/mail/mails.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import { hashSecret, newToken } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { gifts } from './opened.ts'
import type { NewInvitation } from './schema.ts'

const lifeMs = 7 * dayMs

export interface InvitationsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  /** Null if no mail server is configured: then the inviter gets the token. */
  mails: Pick<Mails, 'tokenOf' | 'invitations'> | null
  mailLimiter: Pick<MailLimiter, 'invitation'>
}

/** The invited address in lower case, or the invited account. */
export type Invitee =
  | { email: string; userId?: never; accountEmail?: never }
  | { userId: string; email?: never; accountEmail: string }

interface Inviting {
  organizationId: string
  invited: Invitee
  role: Role
  invitedBy: string
}

const tooMany = (seconds: number) =>
  new ApiError(
    429,
    'rate_limited',
    'Too many invitations were mailed; those already sent remain valid. Try again later.',
    { retryAfterSeconds: seconds },
  )

export class Invitations {
  constructor(readonly parts: InvitationsParts) {}

  /** Whether tokens are mailed, so that accepting one verifies its address. */
  get areMailed(): boolean {
    return this.parts.mails !== null
  }

  /**
   * An invitation to commit; it replaces an earlier one of the same address or account. Throws `validation_failed` (422) for an
   * address that cannot receive mail, `rate_limited` (429) for too many mails.
   */
  async prepare({ organizationId, invited, role, invitedBy }: Inviting): Promise<{
    invitation: NewInvitation
    writes: Write[]
  }> {
    const { store, clock, mails } = this.parts
    const { email = null, userId = null } = invited
    if (mails) await this.#assertMailable({ organizationId, invited, role, invitedBy })
    const now = clock.now()
    const id = newId('ivt', now)
    const token = mails ? mails.tokenOf(id) : newToken()
    const expiresAt = now + lifeMs
    const insertion = insertInvitation(store, {
      id,
      organization_id: organizationId,
      email,
      user_id: userId,
      role,
      token_hash: hashSecret(token),
      mailed: mails ? 1 : 0,
      mail_due_at: mails ? now : null,
      mail_attempts: 0,
      invited_by: invitedBy,
      created_at: now,
      expires_at: expiresAt,
    })
    const replaced =
      userId === null
        ? deleteInvitationOf(store, { organizationId, email: email as string })
        : deleteInvitationOfUser(store, { organizationId, userId })
    return {
      invitation: { id, email, role, expiresAt: timestamp(expiresAt), ...(mails ? {} : { token }) },
      writes: [
        replaced,
        mails ? { ...insertion, committed: mails.invitations.wake } : insertion,
        withinBound(store, 'invitations', organizationId, organizationId),
      ],
    }
  }

  async #assertMailable({ organizationId, invited, invitedBy }: Inviting): Promise<void> {
    const address = invited.email ?? invited.accountEmail
    if (!isMailable(address)) {
      const path = invited.email === undefined ? '/body/userId' : '/body/email'
      throw invalid([{ path, message: 'Must be an address that can receive mail.' }])
    }
    const to = invited.email ?? invited.userId
    const seconds = await this.parts.mailLimiter.invitation(invitedBy, organizationId, to as string)
    if (seconds > 0) throw tooMany(seconds)
  }

  /** The invitations that can still be accepted, newest first, before an id. */
  list(organizationId: string, before: string, limit: number) {
    const { store, clock } = this.parts
    return store.all(listInvitations(store, { organizationId, before, now: clock.now(), gifts, limit }))
  }

  /**
   * Throws `notFound` for an expired, withdrawn or accepted invitation. One whose inviter may no longer invite can be
   * withdrawn: it becomes valid again with the inviter's role.
   */
  async assertThere(organizationId: string, id: string): Promise<void> {
    const { store, clock } = this.parts
    orNotFound(await store.first(findInvitationOf(store, { organizationId, id, now: clock.now() })))
  }

  /** Withdraws an invitation, which invalidates its token. Throws `notFound`. */
  async withdraw(organizationId: string, id: string, record: RequestRecord): Promise<void> {
    const { store, clock } = this.parts
    const withdrawal = withdrawInvitation(store, { organizationId, id, now: clock.now() })
    await commitOr(store, { stale: notFound }, [withdrawal, ...record(undefined)])
  }
}

/** Deletes up to `limit` expired invitations; returns how many. Called periodically. */
export const pruneInvitations = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listExpiredInvitations(store, { now, limit: some })), (invitation) =>
      store.commit([deleteInvitation(store, invitation)]),
    ),
  )
