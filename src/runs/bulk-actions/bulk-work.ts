/**
 * Executes bulk actions piece by piece. The action on a run commits together with a mark in the piece: after a crash
 * the piece starts again, and runs with a mark are skipped. Source: contract 14, "Bulk".
 */
import type { AnyEventObject } from 'xstate'
import type { BulkActionContext, BulkFailure } from '../../../machines/run/bulk-action.ts'
import type { Cause } from '../../../machines/words.ts'
import { firstIdAt } from '../../../storage/ids.ts'
import {
  deleteBulkAction,
  deleteBulkMarks,
  deleteBulkPiece,
  findBulkPiece,
  insertBulkMark,
  listBulkMarks,
  listEndedBulkActions,
  listLeftPieces,
} from '../../../storage/runs/bulk-actions.ts'
import { hasLongJournal, removeActor, shortenJournal } from '../../../storage/runtime/deletion-step.ts'
import type { Store } from '../../../storage/store.ts'
import type { BulkActionRow } from '../../../storage/tables.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs, hourMs } from '../../platform/time/durations.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { type CallerLater, credentialEnded, permissionTaken } from '../../tenancy/authority/later.ts'
import type { RunAccess } from '../access.ts'
import type { RunControl } from '../control/control.ts'
import type { RunForks } from '../forks/forks.ts'
import { bulkActionAddress, bulkActionKind } from './actor.ts'
import { operationOf, permissionOf } from './permission.ts'

export interface BulkWorkParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  access: Pick<RunAccess, 'find'>
  control: Pick<RunControl, 'cancelNow' | 'continueNow'>
  forks: Pick<RunForks, 'fork'>
  audit: Pick<AuditSink, 'write'>
  callerLater: CallerLater
}

/** The most runs in a piece: a few milliseconds of work. */
export const pieceMax = 20
/** The number of runs acted on at once; between batches the action may be canceled. */
const atOnce = 5
const messageMax = 300

const keptMs = 30 * dayMs
/** Unused pieces older than this belong to no action that is still being created. */
const leftForMs = hourMs

type Result = 'done' | BulkFailure

export class BulkWork {
  /** The definition for the actor runtime. */
  readonly kind = bulkActionKind((id, piece) => this.parts.store.background.turn(() => this.#actOnSome(id, piece)))

  constructor(private readonly parts: BulkWorkParts) {}

  async #actOnSome(id: string, piece: number): Promise<void> {
    const { store, actors, callerLater } = this.parts
    const actor = await actors.read<BulkActionRow, BulkActionContext>(bulkActionAddress(id))
    if (!actor || actor.context.pieces !== piece || !actors.hasRow(actor, 'stopped')) return
    const { row } = actor
    const [found, next] = await Promise.all(
      [piece, piece + 1].map((number) => store.first(findBulkPiece(store, { bulkActionId: id, piece: number }))),
    )
    const caller = await callerLater({ type: row.created_by_type, id: row.created_by_id }, row.organization_id)
    if (!caller) return this.#stop(id, credentialEnded)
    if (!maySomewhere(caller, permissionOf[row.action]))
      return this.#stop(id, permissionTaken(permissionOf[row.action]))

    const runs = found ? (JSON.parse(found.runs) as string[]) : []
    const marks = await store.all(listBulkMarks(store, { bulkActionId: id }))
    const marked = new Set(marks.map(({ agent_run_id }) => agent_run_id))
    const results: Result[] = []
    for (let start = 0; start < runs.length; start += atOnce) {
      const now = await actors.read<BulkActionRow>(bulkActionAddress(id))
      if (!now || !actors.hasRow(now, 'stopped')) break
      const some = runs.slice(start, start + atOnce)
      results.push(
        ...(await Promise.all(some.map((runId) => (marked.has(runId) ? 'done' : this.#act(caller, row, runId))))),
      )
    }
    const failures = results.filter((result) => result !== 'done')
    await this.#report(id, {
      piece,
      done: results.length - failures.length,
      failed: failures.length,
      failures,
      isThrough: !next,
    })
  }

  /** Throws temporary errors (an unavailable store), after which the piece starts again; a damaged run has failed. */
  async #act(caller: Caller, row: BulkActionRow, runId: string): Promise<Result> {
    const record: RequestRecord = (answer) => [
      insertBulkMark(this.parts.store, { bulk_action_id: row.id, agent_run_id: runId }),
      this.#line(caller, row, (answer as { data: { id: string } }).data.id),
    ]
    try {
      await this.#actAs(caller, row, runId, record)
      return 'done'
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.status >= 500 && error.code !== 'damaged_record') throw thrown
      return { agentRunId: runId, code: error.code, message: error.message.slice(0, messageMax) }
    }
  }

  async #actAs(caller: Caller, { action, query }: BulkActionRow, runId: string, record: RequestRecord): Promise<void> {
    const { access, control, forks } = this.parts
    const found = await access.find(caller, runId, permissionOf[action])
    if (action === 'cancel') await control.cancelNow(caller, runId, record)
    else if (action === 'continue') await control.continueNow(caller, runId, { query: query ?? '' }, {}, record)
    else await forks.fork(caller, found, query === null ? {} : { query }, record)
  }

  #line({ principal }: Caller, row: BulkActionRow, id: string) {
    return this.parts.audit.write({
      organizationId: row.organization_id,
      actor: principal,
      ip: null,
      operation: operationOf[row.action],
      resource: { type: 'agentRun', id },
      outcome: 'allowed',
      requestId: row.request_id,
      requestIdFrom: row.request_id_from,
      changed: [],
    })
  }

  async #report(
    id: string,
    report: { piece: number } & Omit<BulkActionContext, 'matched' | 'pieces' | 'cause' | 'endedAt'> & {
        isThrough: boolean
      },
  ) {
    const { store } = this.parts
    const key = { bulkActionId: id, piece: report.piece }
    const writes = [deleteBulkPiece(store, key), deleteBulkMarks(store, key)]
    await this.#send(id, { type: 'advanced', ...report }, writes)
  }

  #stop(id: string, cause: Cause): Promise<void> {
    return this.#send(id, { type: 'stopped', cause })
  }

  async #send(id: string, event: AnyEventObject, writes: ReturnType<typeof deleteBulkPiece>[] = []): Promise<void> {
    try {
      await this.parts.actors.send(bulkActionAddress(id), event, { writes: () => writes })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Removes up to `limit` pieces without an active action. */
  async pruneLeft(limit: number): Promise<number> {
    const { background } = this.parts.store
    const before = firstIdAt('blk', this.parts.clock.now() - leftForMs)
    const left = await background.all(listLeftPieces(background, { before, limit }))
    for (const { bulk_action_id: bulkActionId, piece } of left) {
      await background.commit([deleteBulkPiece(background, { bulkActionId, piece })], null)
    }
    return left.length
  }

  /** Removes up to `limit` actions that ended more than 30 days ago. */
  async pruneEnded(limit: number): Promise<number> {
    const { background } = this.parts.store
    const before = this.parts.clock.now() - keptMs
    const ended = await background.all(listEndedBulkActions(background, { before, limit }))
    for (const { id } of ended) {
      const address = bulkActionAddress(id)
      while (await hasLongJournal(background, address))
        await background.commit([shortenJournal(background, address)], null)
      await background.commit([deleteBulkAction(background, { id }), ...removeActor(background, address)], null)
      this.parts.actors.forget(address)
    }
    return ended.length
  }
}
