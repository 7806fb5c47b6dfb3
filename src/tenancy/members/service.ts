import type { Store } from '../../../storage/store.ts'
import { deleteInvitationOf, deleteInvitationOfUser } from '../../../storage/tenancy/invitations.ts'
import {
  changeRole,
  deleteMember,
  findMember,
  listMembers,
  revokeKeysOfMember,
} from '../../../storage/tenancy/members.ts'
import { isMember } from '../../../storage/tenancy/organizations.ts'
import { findMemberOfAddress, findUser, findVerifiedMember } from '../../../storage/tenancy/users.ts'
import {
  ApiError,
  alreadyMember,
  concurrentChange,
  invalid,
  lastOwner,
  orNotFound,
  permissionDenied,
} from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller, Role } from '../../platform/http/guard/caller.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { readSearchedPage } from '../../platform/http/searched-page.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { Invitations, Invitee } from '../invitations/invitations.ts'
import { runnerTokensLost } from './runner-tokens.ts'
import type { Invited, Member, MemberBody, MemberPatch } from './schema.ts'

interface MembersParts {
  store: Store
  cursors: Cursors
  revocations: Revocations
  invitations: Pick<Invitations, 'prepare' | 'areMailed'>
}

/** A member as stored. */
interface MemberRow {
  user_id: string
  email: string
  email_verified_at: number | null
  name: string
  role: Role
  created_at: number
}

const present = ({ user_id, email, email_verified_at, name, role, created_at }: MemberRow): Member => ({
  userId: user_id,
  email,
  emailVerified: email_verified_at !== null,
  name,
  role,
  createdAt: timestamp(created_at),
})

/** Throws `permission_denied` if one of the roles is `owner` and the caller is not an owner. */
export function assertMayHandle(caller: Caller, ...roles: Role[]): void {
  if (caller.role === 'owner' || !roles.includes('owner')) return
  throw new ApiError(403, 'permission_denied', 'Only owners can give, change or take the role owner.', {
    details: { permission: 'organizations:manage-members' },
  })
}

export class Members {
  constructor(private readonly parts: MembersParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, request: PageRequest & { search?: string }) {
    const { store, cursors } = this.parts
    return readSearchedPage(
      { cursors, scope: { list: 'members', organizationId, filters: { search: request.search } } },
      request,
      ([beforeAt, beforeId] = [Number.MAX_SAFE_INTEGER, ''], limit) =>
        store.all(
          listMembers(store, { organizationId, beforeAt: Number(beforeAt), beforeId: String(beforeId), limit }),
        ),
      ({ created_at, user_id }) => [created_at, user_id],
      present,
      ({ name, email }) => `${name} ${email}`,
    )
  }

  /**
   * Invites an address or an account. Throws `validation_failed` (422) unless exactly one is given, `permission_denied` (403),
   * `noSuch` for an unknown account, `already_member` (409), and the errors of `Invitations.prepare`.
   */
  async invite(caller: Caller, { email, userId, role }: MemberBody, record: RequestRecord): Promise<{ data: Invited }> {
    if ((email === undefined) === (userId === undefined)) {
      throw invalid([{ path: '/body', message: 'Must have either email or userId.' }])
    }
    assertMayHandle(caller, role)
    const { store, invitations } = this.parts
    const { organizationId, userId: invitedBy } = caller
    const invited =
      userId === undefined
        ? await this.#address(organizationId, (email as string).toLowerCase())
        : await this.#account(organizationId, userId)
    const { invitation, writes } = await invitations.prepare({ organizationId, invited, role, invitedBy })
    // the audit line names the invitation: there is no member yet
    await store.commit([...writes, ...record({ data: { id: invitation.id } })])
    return { data: { invitation } }
  }

  /**
   * Looks only at members, whom the caller can see: nothing about other accounts is revealed. With mail, only a verified
   * address is that of the member; without, no address can be verified.
   */
  async #address(organizationId: string, email: string): Promise<Invitee> {
    const { store, invitations } = this.parts
    const find = invitations.areMailed ? findVerifiedMember : findMemberOfAddress
    if (await store.first(find(store, { organizationId, email }))) throw alreadyMember()
    return { email }
  }

  async #account(organizationId: string, userId: string): Promise<Invitee> {
    const { store } = this.parts
    const user = orNoSuch(await store.first(findUser(store, { id: userId })), 'user', '/body/userId')
    if (await isMember(store, organizationId, userId)) throw alreadyMember()
    return { userId, accountEmail: user.email }
  }

  /**
   * A role that manages fewer runner pools ends tokens of theirs. Without a role nothing changes. Throws `notFound`,
   * `permission_denied` (403), `last_owner` (409).
   */
  async change(
    caller: Caller,
    userId: string,
    { role: given }: MemberPatch,
    record: RequestRecord,
  ): Promise<{ data: Member }> {
    const { store } = this.parts
    const { organizationId } = caller
    const member = await this.findToChange(caller, userId)
    const role = given ?? member.role
    assertMayHandle(caller, role)
    const answer = { data: present({ ...member, role }) }
    const { writes, tokenIds } = await runnerTokensLost(store, { organizationId, userId }, role)
    await commitOr(store, { stale: (error) => this.#refusal(organizationId, member, error) }, [
      changeRole(store, { organizationId, userId, from: member.role, to: role }),
      ...writes,
      ...record(answer, present(member)),
    ])
    await this.#announce(organizationId, userId, tokenIds)
    return answer
  }

  /**
   * Ends a membership with its group memberships, access grants, API keys and runner tokens for the organization. Everyone
   * may leave with a session. Removing others, or using a key, requires `organizations:manage-members`. Throws as `change`.
   */
  async remove(caller: Caller, userId: string, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const { organizationId } = caller
    const member = await this.findToRemove(caller, userId)
    // leaving must not withdraw invitations to an address that the user never verified
    const isOfThem = userId !== caller.userId || member.email_verified_at !== null
    const { writes, tokenIds } = await runnerTokensLost(store, { organizationId, userId }, null)
    await commitOr(store, { stale: (error) => this.#refusal(organizationId, member, error) }, [
      deleteMember(store, { organizationId, userId, role: member.role }),
      revokeKeysOfMember(store, { organizationId, userId }),
      ...writes,
      // an earlier invitation must not lead back in
      deleteInvitationOfUser(store, { organizationId, userId }),
      ...(isOfThem ? [deleteInvitationOf(store, { organizationId, email: member.email })] : []),
      ...record(undefined),
    ])
    await this.#announce(organizationId, userId, tokenIds)
  }

  async #announce(organizationId: string, userId: string, tokenIds: readonly string[]): Promise<void> {
    const { revocations } = this.parts
    await revocations.announce({ organizationId, userId })
    for (const credentialId of tokenIds) await revocations.announce({ credentialId })
  }

  /** A member whose role the caller may change. Throws `notFound`, `permission_denied` (403). */
  async findToChange(caller: Caller, userId: string): Promise<MemberRow> {
    const member = await this.#find(caller.organizationId, userId)
    assertMayHandle(caller, member.role)
    return member
  }

  /** A member whom the caller may remove. Throws `notFound`, `permission_denied` (403). */
  async findToRemove(caller: Caller, userId: string): Promise<MemberRow> {
    const leaves = userId === caller.userId
    const isInPerson = caller.principal.type === 'user'
    if (!(leaves && isInPerson) && !caller.permissions.has('organizations:manage-members')) {
      throw permissionDenied('organizations:manage-members')
    }
    const member = await this.#find(caller.organizationId, userId)
    if (!leaves) assertMayHandle(caller, member.role)
    return member
  }

  async #find(organizationId: string, userId: string): Promise<MemberRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findMember(store, { organizationId, userId })))
  }

  /** Why the member could not be changed. */
  async #refusal(organizationId: string, seen: MemberRow, cause: unknown): Promise<ApiError> {
    const { role } = await this.#find(organizationId, seen.user_id)
    return role === 'owner' && seen.role === 'owner' ? lastOwner() : concurrentChange(cause)
  }
}
