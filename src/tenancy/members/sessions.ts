import type { Store } from '../../../storage/store.ts'
import { endSessionsOfMember, findMember } from '../../../storage/tenancy/members.ts'
import { concurrentChange, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import { assertMayHandle } from './service.ts'

export class MemberSessions {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; revocations: Revocations }) {}

  /** The member whose sessions may be ended. Throws `notFound`; `permission_denied` (403) for an owner unless the caller is one. */
  async find(caller: Caller, userId: string) {
    const { store } = this.parts
    const member = orNotFound(await store.first(findMember(store, { organizationId: caller.organizationId, userId })))
    assertMayHandle(caller, member.role)
    return member
  }

  /** Throws as `find`; `concurrent_change` (409). */
  async end(caller: Caller, userId: string, record: RequestRecord): Promise<void> {
    const { store, clock, revocations } = this.parts
    const { organizationId } = caller
    const member = await this.find(caller, userId)
    await commitOr(store, { stale: concurrentChange }, [
      // conditional on the role: a user who became an owner concurrently is outside an admin's scope
      endSessionsOfMember(store, { organizationId, userId, role: member.role, at: clock.now() }),
      ...record(undefined),
    ])
    await revocations.announce({ organizationId, userId })
  }
}
