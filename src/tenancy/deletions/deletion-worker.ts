/**
 * The work of a deletion, in rounds: live runs are canceled, then the tree is removed from the leaves, finally the target
 * itself. Rounds are short, so that other work is not delayed and a stop waits for at most one of them. Source: contract 2,
 * "Deletion".
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
import { fewMax } from '../../platform/time/few-at-once.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Address, Again } from '../../runtime/kind.ts'
import { isConcurrentChange, isOver } from '../../runtime/refusals.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import type { Revocations } from '../authority/revocations.ts'
import { environmentAddress } from '../environments/actor.ts'
import { type DeletionActor, type DeletionEffects, deletionAddress, deletionKind, deletionTargetOf } from './actor.ts'
import { type Command, commandsToSend } from './live.ts'

/** Runs canceled per round. */
const toldMax = 100
/** Runs read, and counted, per query. */
const foundMax = 50
const countedMax = 5_000
/** How often runs that wind down are looked at. */
const againMs = 1_000
/** Rows removed per step, and slices of a run that is too large for one unit of work. */
const rowsMax = 1_000
const slicesMax = 10
/** The duration of a round, for which a stop waits. */
const roundMs = 500

interface DeletionWorkerParts {
  store: Store
  runs: RunsToRemove
  actors: Actors
  /** Invalidates credentials that were removed with their parent. */
  revocations: Revocations
}

/** The interface to runs, which belong to a higher wing. */
interface RunsToRemove {
  address(runId: string): Address
  /** Removes an ended run in one unit of work with `behind`. Throws `StaleWrite` if it is live (again) or gone. */
  remove(parts: RemovalParts, run: RunToRemove, writes: { behind: Write[] }): Promise<void>
}

type Answer = 'runsTold' | 'runsEnded' | 'runsFound' | 'batchRemoved' | 'removed'

export class DeletionWorker implements DeletionEffects {
  /** The definition for the actor runtime. */
  readonly kind = deletionKind(this)
  readonly #store: BackgroundStore

  constructor(private readonly parts: DeletionWorkerParts) {
    this.#store = parts.store.background
  }

  /** While runs wind down it is repeated as the same effect: new ones could come faster than they are done. */
  async endRuns(id: string, round: number): Promise<Again | undefined> {
    const deletion = await this.#current(id, round)
    if (!deletion) return undefined
    const isAll = await this.#notify(deletion)
    const live = isAll ? await liveRuns(this.#store, deletion, toldMax) : []
    if (live.length === 0) {
      await this.#answer(id, round, isAll ? 'runsEnded' : 'runsTold')
      return undefined
    }
    // the next look repeats the command for runs that missed it
    await this.#atOnce(live.map((run) => () => this.#cancel(run.id)))
    return { againMs }
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
      // a run was created or continued since the query
      const isStale = error instanceof StaleWrite || isConcurrentChange(error)
      if (!isStale) throw error
      return this.#answer(id, round, 'runsFound')
    }
    await this.parts.revocations.announce({ organizationId: deletion.organizationId, removed: true })
  }

  /** Removes what concurrent requests left behind. Throws while a run is live, to be called again. */
  async sweep(id: string): Promise<void> {
    const actor = await this.#find(id)
    if (!actor) return
    const deletion = deletionTargetOf(actor.row)
    while (!(await this.#notify(deletion)));
    if ((await liveRuns(this.#store, deletion, 1)).length > 0) {
      throw new Error(`A run of ${id} is still live after its deletion.`)
    }
    while (await this.#removeNext(deletion));
  }

  #find(id: string): Promise<DeletionActor | undefined> {
    return this.parts.actors.read(deletionAddress(id)) as Promise<DeletionActor | undefined>
  }

  /** The target; undefined if this round has already been reported. */
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

  /** A few at a time, so that requests are served in between. */
  async #atOnce(work: readonly (() => Promise<void>)[]): Promise<void> {
    for (let start = 0; start < work.length; start += fewMax) {
      const some = work.slice(start, start + fewMax)
      await this.#store.turn(() => Promise.all(some.map((begin) => begin())))
    }
  }

  /** Cancels runs and ends Environments and other live actors. Returns whether none is left. */
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
      // A record that cannot be read gets no command; it is removed with the rest.
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

  /** Actors that cannot be read are skipped, and removed with the rest. */
  async #say({ address, event }: Command): Promise<void> {
    try {
      await this.#send(address, event)
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
    }
  }

  /** A refused command means that the actor has ended. */
  async #send(address: Address, type: string): Promise<void> {
    try {
      await this.parts.actors.send(address, { type }, { background: true })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Counts the next runs; false when all are counted. Later runs are not counted. */
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

  /** Removes the next part of the tree; false when only the target is left. */
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

/** The first runs that fit into one unit of work each, and together into a round. */
function small(runs: readonly RunToRemove[]): RunToRemove[] {
  const large = runs.findIndex(({ rows }) => rows > rowsAtOnce)
  let rows = 0
  return runs.slice(0, large < 0 ? undefined : large).filter((run, index) => {
    rows += run.rows
    return index === 0 || rows <= rowsMax
  })
}

/** Waits for all; throws the first error. */
async function throughAll(work: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') throw outcome.reason
}
