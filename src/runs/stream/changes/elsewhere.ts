/** Exchanges changes of runs between servers that share the store, for their readers. */
import type { RunRow } from '../../../../storage/tables.ts'
import type { Bus, Listening } from '../../../platform/bus/bus.ts'
import type { Clock } from '../../../platform/time/clock.ts'

/** A changed run, as servers send it. */
export type ChangedRun = Pick<RunRow, 'id' | 'organization_id' | 'project_id' | 'environment_id' | 'agent_id'>

/** The time in which changes are collected. */
const gatherMs = 100
/** The most changes of an organization collected at once; if there are more, all are reported as missed. */
const gatheredMax = 200
/** The interval at which readers are told to read the list again while messages of other servers do not arrive. */
const timeoutMs = 3_000

const channelOf = (organizationId: string) => `runs/${organizationId}`

interface Hearing {
  changed(run: ChangedRun): void
  /** Other runs of the organization may have changed. */
  missed(organizationId: string): void
}

export class ChangesElsewhere {
  readonly #listening = new Map<string, Listening>()
  readonly #gathered = new Map<string, Map<string, ChangedRun>>()
  #gathering = false
  #timeout: { cancel(): void } | undefined

  constructor(
    private readonly bus: Bus,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly hearing: Hearing,
  ) {
    bus.onceMore(() => this.#missAll())
  }

  /** A run has changed at this server. */
  tell(run: ChangedRun): void {
    if (!this.bus.isShared) return
    const { id, organization_id, project_id, environment_id, agent_id } = run
    const some = this.#gathered.get(organization_id) ?? new Map<string, ChangedRun>()
    this.#gathered.set(organization_id, some)
    if (some.size <= gatheredMax) some.set(id, { id, organization_id, project_id, environment_id, agent_id })
    if (this.#gathering) return
    this.#gathering = true
    this.clock.after(gatherMs, () => this.#tellGathered())
  }

  /** The organization has readers at this server. */
  listen(organizationId: string): void {
    if (!this.bus.isShared || this.#listening.has(organizationId)) return
    const hear = (runs: ChangedRun[] | null) => {
      if (runs) for (const run of runs) this.hearing.changed(run)
      else this.hearing.missed(organizationId)
    }
    const listening = this.bus.listen(channelOf(organizationId), hear)
    this.#listening.set(organizationId, listening)
    // messages sent before the subscription was ready are lost
    void listening.ready.then(() => this.hearing.missed(organizationId))
    this.#look()
  }

  /** The organization has no more readers at this server. */
  leave(organizationId: string): void {
    this.#listening.get(organizationId)?.end()
    this.#listening.delete(organizationId)
    if (this.#listening.size > 0) return
    this.#timeout?.cancel()
    this.#timeout = undefined
  }

  #tellGathered(): void {
    this.#gathering = false
    for (const [organizationId, some] of this.#gathered) {
      void this.bus.tell(channelOf(organizationId), some.size > gatheredMax ? null : [...some.values()])
    }
    this.#gathered.clear()
  }

  #missAll(): void {
    for (const organizationId of this.#listening.keys()) this.hearing.missed(organizationId)
  }

  #look(): void {
    this.#timeout ??= this.clock.after(timeoutMs, () => {
      this.#timeout = undefined
      if (!this.bus.isHearing()) this.#missAll()
      if (this.#listening.size > 0) this.#look()
    })
  }
}
