/**
 * The work of a removal, one round at a time: live runs are told to end, then the tree is removed from below, and at last
 * the target itself. Rounds are small, so that nobody else waits for long and a server that stops waits for one of them
 * only. Source: contract 2, "Deletion".
 */

import { DamagedRecord, StaleWrite } from '../../../storage/errors.ts'
import {
  type DeletionTarget,
  liveRuns,
  nextRuns,
  type RunToRemove,
  removeDamagedRun,
  removeRowsOfRun,
  rowsAtOnce,
  runsToCancel,
} from '../../../storage/runs/run-removal.ts'
import { countRunsBehind } from '../../../storage/runs/run-stretches.ts'
import { nextRows, remainingEnvironments, removeTarget } from '../../../storage/runtime/removal.ts'
import type { BackgroundStore, Store, Write } from '../../../storage/store.ts'
import { getDeletion, noteCounted, noteRecordRemoved, noteRunRemoved } from '../../../storage/tenancy/deletions.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { fewMax } from '../../platform/time/few-at-once.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Address } from '../../runtime/kind.ts'
import { isOver } from '../../runtime/refusals.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import type { Revocations } from '../authority/revocations.ts'
import { environmentAddress } from '../environments/actor.ts'
import { type DeletionActor, type DeletionEffects, deletionAddress, deletionKind, deletionTargetOf } from './actor.ts'
import { type Command, commandsToSend } from './live.ts'

/** Runs that one round tells to end. */
const toldMax = 100
/** Runs that are looked for at once, and counted at once. */
const foundMax = 50
const countedMax = 5_000
/** Rows that go in one step, and how many slices of a run that is too large for one unit of work. */
const rowsMax = 1_000
const slicesMax = 10
/** A round goes on for so long: a server that stops waits for it. */
const roundMs = 500

export interface DeletionWorkerParts {
  store: Store
  runs: RunsToRemove
  actors: Actors
  /** Hears that credentials have gone with what they belonged to. */
  revocations: Revocations
}

/** What removals have to know of runs, which belong to a wing above this one. */
export interface RunsToRemove {
  address(runId: string): Address
  /** Removes a run that has ended, in one unit of work with `behind`. Throws `StaleWrite` when it lives (again), or is gone. */
  remove(parts: RemovalParts, run: RunToRemove, writes: { behind: Write[] }): Promise<void>
}

type Answer = 'runsTold' | 'runsEnded' | 'runsFound' | 'batchRemoved' | 'removed'

export class DeletionWorker implements DeletionEffects {
  /** What the actor runtime has to know of removals. */
  readonly kind = deletionKind(this)
  readonly #store: BackgroundStore

  constructor(private readonly parts: DeletionWorkerParts) {
    this.#store = parts.store.background
  }

  async endRuns(id: string, round: number): Promise<void> {
    const deletion = await this.#current(id, round)
    if (!deletion) return
    const isAll = await this.#notify(deletion)
    if (!isAll) return this.#answer(id, round, 'runsTold')
    const live = await liveRuns(this.#store, deletion, toldMax)
    if (live.length === 0) return this.#answer(id, round, 'runsEnded')
    // They wind down, and are looked at again in a second. Whom the first word did not reach hears another one.
    await this.#atOnce(live.map((run) => () => this.#cancel(run.id)))
  }

  async removeBatch(id: string, round: number): Promise<void> {
    const deletion = await this.#current(id, round)
    if (!deletion) return
    if ((await liveRuns(this.#store, deletion, 1)).length > 0) return this.#answer(id, round, 'runsFound')
    const endsAt = performance.now() + roundMs
    const isLong = () => performance.now() >= endsAt
    try {
      while (await this.#countNext(deletion)) if (isLong()) return await this.#answer(id, round, 'batchRemoved')
      while (await this.#removeNext(deletion)) if (isLong()) return await this.#answer(id, round, 'batchRemoved')
      await this.#answer(id, round, 'removed', () => removeTarget(this.#store, deletion))
    } catch (error) {
      // a run has come, or has begun anew, since the look
      const isStale = error instanceof StaleWrite || (error instanceof ApiError && error.code === 'concurrent_change')
      if (!isStale) throw error
      return this.#answer(id, round, 'runsFound')
    }
    await this.parts.revocations.announce({ organizationId: deletion.organizationId, removed: true })
  }

  /** What requests that were under way have left behind. Throws while a run lives, to be called again. */
  async sweep(id: string): Promise<void> {
    const actor = await this.#find(id)
    if (!actor) return
    const deletion = deletionTargetOf(actor.row)
    while (!(await this.#notify(deletion)));
    if ((await liveRuns(this.#store, deletion, 1)).length > 0) {
      throw new Error(`A run of ${id} lives on after its removal.`)
    }
    while (await this.#removeNext(deletion));
  }

  #find(id: string): Promise<DeletionActor | undefined> {
    return this.parts.actors.read(deletionAddress(id)) as Promise<DeletionActor | undefined>
  }

  /** What is to be removed; undefined when this round has been answered. */
  async #current(id: string, round: number): Promise<DeletionTarget | undefined> {
    const actor = await this.#find(id)
    return actor?.context.round === round ? deletionTargetOf(actor.row) : undefined
  }

  async #answer(id: string, round: number, type: Answer, writes?: () => Write[]): Promise<void> {
    try {
      await this.parts.actors.send(deletionAddress(id), { type, round }, { background: true, writes })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** A few at a time, so that requests go first. */
  async #atOnce(work: readonly (() => Promise<void>)[]): Promise<void> {
    for (let start = 0; start < work.length; start += fewMax) {
      const some = work.slice(start, start + fewMax)
      await this.#store.turn(() => Promise.all(some.map((begin) => begin())))
    }
  }

  /** Tells runs, Environments and whatever else lives of their end. Returns whether nobody is left to be told. */
  async #notify(deletion: DeletionTarget): Promise<boolean> {
    const store = this.#store
    const runs = await runsToCancel(store, deletion, toldMax)
    const environments = await remainingEnvironments(store, deletion, toldMax)
    const words = await commandsToSend(store, deletion, toldMax)
    await this.#atOnce([
      ...runs.map(
        ({ id }) =>
          () =>
            this.#cancel(id),
      ),
      ...environments.map((id) => () => this.#close(id)),
      ...words.map((word) => () => this.#say(word)),
    ])
    return runs.length < toldMax && environments.length < toldMax && words.length < toldMax
  }

  async #cancel(runId: string): Promise<void> {
    try {
      await this.#send(this.parts.runs.address(runId), 'cancel')
    } catch (error) {
      // A record that cannot be read can be told nothing; it is removed as it is.
      if (!(error instanceof DamagedRecord)) throw error
      await this.#store.commit(removeDamagedRun(this.#store, runId))
      this.parts.actors.forget(this.parts.runs.address(runId))
    }
  }

  async #close(environmentId: string): Promise<void> {
    try {
      await this.#send(environmentAddress(environmentId), 'delete')
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
    }
  }

  /** Whoever cannot be read can be told nothing, and goes with the rest. */
  async #say({ address, event }: Command): Promise<void> {
    try {
      await this.#send(address, event)
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
    }
  }

  /** What the chart refuses has ended already. */
  async #send(address: Address, type: string): Promise<void> {
    try {
      await this.parts.actors.send(address, { type }, { background: true })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Counts the next runs; false when all are counted. Those that come later are not. */
  async #countNext(deletion: DeletionTarget): Promise<boolean> {
    const store = this.#store
    const { id } = deletion
    const after = (await store.first(getDeletion(store, { id })))?.counted_to ?? null
    if (after === null) return false
    const { count, last } = await countRunsBehind(store, deletion, after, countedMax)
    const isThrough = count < countedMax
    await store.commit([noteCounted(store, { id, runs: count, to: isThrough ? null : last })])
    return !isThrough
  }

  /** Removes the next part of the tree; false when nothing but the target is left. */
  async #removeNext(deletion: DeletionTarget): Promise<boolean> {
    const store = this.#store
    const { actors } = this.parts
    const { id } = deletion
    const runs = await nextRuns(store, deletion, foundMax)
    const [first] = runs
    if (first && first.rows > rowsAtOnce) {
      await throughAll(Array.from({ length: slicesMax }, () => store.commit(removeRowsOfRun(store, first.id))))
      return true
    }
    if (first) {
      const behind = [noteRunRemoved(store, { id })]
      await throughAll(small(runs).map((run) => this.parts.runs.remove({ store, actors }, run, { behind })))
      return true
    }
    const rows = await nextRows(store, deletion)
    await throughAll(
      rows.map(({ writes, actor }) => {
        const unit = [...writes, noteRecordRemoved(store, { id })]
        return actor ? removeForGood({ store, actors }, actor, unit) : store.commit(unit)
      }),
    )
    return rows.length > 0
  }
}

/** The first of them, so far as each can go in one unit of work, and together they take no round's time. */
function small(runs: readonly RunToRemove[]): RunToRemove[] {
  const large = runs.findIndex(({ rows }) => rows > rowsAtOnce)
  let rows = 0
  return runs.slice(0, large < 0 ? undefined : large).filter((run, index) => {
    rows += run.rows
    return index === 0 || rows <= rowsMax
  })
}

/** Waits for all of them; throws what went wrong first. */
async function throughAll(work: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') throw outcome.reason
}
