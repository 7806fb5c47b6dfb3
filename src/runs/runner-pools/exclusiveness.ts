/** Caches which organizations have an exclusive pool, for the queue. */
import { findExclusivePool, listExclusiveOrganizations } from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../../tenancy/authority/revocations.ts'

/** The time after a failed read until all organizations are read again. */
const againMs = 5_000

interface ExclusivenessParts {
  store: Store
  clock: Pick<Clock, 'after'>
  revocations: Pick<Revocations, 'listen'>
  onError(error: unknown, what: string): void
}

export class Exclusiveness {
  readonly #organizations = new Set<string>()
  /** Serializes reads, so that the latest one applies. */
  #reading: Promise<unknown> = Promise.resolve()
  readonly #listeners: ((organizationId: string) => void)[] = []
  /** Set after a failed read: changes may have been missed, so the next read is of all organizations. */
  #again: { cancel(): void } | undefined
  #stopped = false

  /** Follows changes by other processes, until `stop`. */
  constructor(private readonly parts: ExclusivenessParts) {
    const { revocations, onError } = parts
    revocations.listen(({ organizationId, userId, credentialId }) => {
      if (userId !== undefined || credentialId !== undefined) return
      this.refresh(organizationId).catch((error) => onError(error, 'the exclusive runner pools'))
    })
  }

  has(organizationId: string): boolean {
    return this.#organizations.has(organizationId)
  }

  /** Calls the listener for each organization that becomes or stops being exclusive. */
  listen(listener: (organizationId: string) => void): void {
    this.#listeners.push(listener)
  }

  /** Reloads one organization, or all. Resolves once every earlier commit is included. */
  refresh(organizationId?: string): Promise<void> {
    const reading = this.#reading.then(() => this.#read(this.#again ? undefined : organizationId))
    this.#reading = reading.catch(() => this.#readAgain())
    return reading
  }

  stop(): void {
    this.#stopped = true
    this.#again?.cancel()
  }

  #readAgain(): void {
    if (this.#stopped) return
    const { clock, onError } = this.parts
    this.#again?.cancel()
    this.#again = clock.after(againMs, () => {
      this.refresh().catch((error) => onError(error, 'the exclusive runner pools'))
    })
  }

  async #read(only: string | undefined): Promise<void> {
    const { store } = this.parts
    const rows =
      only === undefined
        ? await store.all(listExclusiveOrganizations(store, {}))
        : await store.all(findExclusivePool(store, { organizationId: only }))
    if (only === undefined) {
      this.#again?.cancel()
      this.#again = undefined
    }
    const found = new Set(rows.flatMap(({ organization_id }) => organization_id ?? []))
    const before = only === undefined ? [...this.#organizations] : [only].filter((id) => this.#organizations.has(id))
    const ended = before.filter((id) => !found.has(id))
    const begun = [...found].filter((id) => !this.#organizations.has(id))
    for (const id of ended) this.#organizations.delete(id)
    for (const id of begun) this.#organizations.add(id)
    for (const id of [...ended, ...begun]) for (const listener of this.#listeners) listener(id)
  }
}
