/** Reads and decides approvals. A decision is a move of the invocation, whose statechart refuses late ones. */
import { type ApprovalWithCall, findApproval } from '../../../storage/automation/approvals.ts'
import { listApprovals } from '../../../storage/automation/invocation-lists.ts'
import { firstIdAt } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError, conflict, notFound } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, readLargePage } from '../../platform/http/pagination.ts'
import { assertRange } from '../../platform/http/time-range.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { invocationAddress } from '../operations/invocations/actor.ts'
import type { InvocationWork } from '../operations/invocations/invocation-work.ts'
import { type Approval, type ApprovalPath, type ApprovalQuery, type DecisionBody, presentApproval } from './schema.ts'

export interface ApprovalParts {
  store: Store
  actors: Actors
  cursors: Cursors
  invocations: InvocationWork
}

/** An id is made a little before its approval is stored: ids limit what is read, times decide. */
const idSlackMs = 60_000

function timesOf({ since, until }: Pick<ApprovalQuery, 'since' | 'until'>) {
  const sinceMs = since === undefined ? null : Date.parse(since)
  const untilMs = until === undefined ? null : Date.parse(until)
  return {
    from: sinceMs === null ? '' : firstIdAt('apr', sinceMs - idSlackMs),
    below: untilMs === null ? '~' : firstIdAt('apr', untilMs + idSlackMs),
    since: sinceMs ?? 0,
    until: untilMs ?? Number.MAX_SAFE_INTEGER,
  }
}

export class Approvals {
  constructor(private readonly parts: ApprovalParts) {}

  /** Newest first. Throws `validation_failed` for a range that ends before it begins, `invalid_cursor` (422). */
  async list(caller: Caller, { environmentId }: EnvironmentPath, query: ApprovalQuery) {
    const { store, cursors } = this.parts
    const { organizationId, scope } = caller
    const { status, operation, agentId, since, until, ...page } = query
    assertRange(query, 'since', 'until')
    const agent = agentId ?? scope.agentId ?? undefined
    const isOutOfScope = scope.agentId !== null && agent !== scope.agentId
    const filters = {
      ...(status !== undefined && { status }),
      ...(operation !== undefined && { operation }),
      ...(agent !== undefined && { agent_id: agent }),
    }
    return readLargePage(
      {
        cursors,
        scope: { list: 'operation-approvals', organizationId, filters: { environmentId, since, until, ...filters } },
      },
      page,
      async (last, limit) => {
        if (isOutOfScope) return []
        const { from, below, ...times } = timesOf({ since, until })
        const before = [belowId(last), below].reduce((one, other) => (one < other ? one : other))
        const values = { organizationId, environmentId, before, from, ...times, limit, ...filters }
        return store.all<ApprovalWithCall>(listApprovals(filters)(store, values))
      },
      ({ id }) => [id],
      presentApproval,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: ApprovalPath): Promise<Approval> {
    return presentApproval(await this.find(caller, path))
  }

  /** Starts the operation. Throws `notFound`, and a conflict with the status if it was already decided. */
  approve(caller: Caller, path: ApprovalPath, body: DecisionBody, record: RequestRecord): Promise<Approval> {
    return this.#decide(caller, path, { type: 'approve', performer: this.parts.invocations.name, ...body }, record)
  }

  /** The operation never runs. Throws as `approve` does. */
  reject(caller: Caller, path: ApprovalPath, body: DecisionBody, record: RequestRecord): Promise<Approval> {
    return this.#decide(caller, path, { type: 'reject', ...body }, record)
  }

  async #decide(
    caller: Caller,
    path: ApprovalPath,
    decision: { type: 'approve' | 'reject'; performer?: string; note?: string },
    record: RequestRecord,
  ): Promise<Approval> {
    const { actors, invocations } = this.parts
    const { id, invocation_id: invocationId } = await this.find(caller, path)
    try {
      await actors.send(invocationAddress(invocationId), decision, {
        by: caller.principal,
        writes: () => record({ data: { id } }),
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // the caller has ended or continued and has not withdrawn the call yet
      if (error.code === 'concurrent_change') await invocations.withdrawUnwanted(invocationId)
      if (error.code !== 'concurrent_change' && error.code !== 'invalid_transition') throw error
      const { status } = await this.find(caller, path)
      if (status === 'pending') throw error
      throw conflict(status)
    }
    // whoever reads the run after this answer is not asked again; what fails here is repeated
    await invocations.notify(invocationId).catch(() => {})
    return this.get(caller, path)
  }

  /** The row with its invocation. Throws `notFound`. */
  async find({ organizationId, scope }: Caller, { environmentId, approvalId: id }: ApprovalPath) {
    const { store } = this.parts
    const row = await store.first<ApprovalWithCall>(findApproval(store, { organizationId, environmentId, id }))
    if (!row || (scope.agentId !== null && row.agent_id !== scope.agentId)) throw notFound()
    return row
  }
}
