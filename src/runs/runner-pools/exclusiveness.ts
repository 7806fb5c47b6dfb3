/** Which organizations have their runs carried out by their own runners only, kept in mind for the queue. */
import { findExclusivePool, listExclusiveOrganizations } from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import type { Revocations } from '../../tenancy/authority/revocations.ts'

export interface ExclusivenessParts {
  store: Store
  revocations: Pick<Revocations, 'listen'>
  onError(error: unknown, what: string): void
}

export class Exclusiveness {
  readonly #organizations = new Set<string>()
  /** Reads one after the other, so that the latest one counts. */
  #reading: Promise<unknown> = Promise.resolve()
  readonly #listeners: ((organizationId: string) => void)[] = []

  /** Follows the changes that other processes make; what cannot be read now is read with the next change. */
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

  /** Calls the listener for each organization that begins or ceases to be exclusive. */
  listen(listener: (organizationId: string) => void): void {
    this.#listeners.push(listener)
  }

  /** Reads anew whether an organization is, or who is at all. Resolves when what was committed before the call counts. */
  refresh(organizationId?: string): Promise<void> {
    const reading = this.#reading.then(() => this.#read(organizationId))
    this.#reading = reading.catch(() => {})
    return reading
  }

  async #read(only: string | undefined): Promise<void> {
    const { store } = this.parts
    const rows =
      only === undefined
        ? await store.all(listExclusiveOrganizations(store, {}))
        : await store.all(findExclusivePool(store, { organizationId: only }))
    const found = new Set(rows.flatMap(({ organization_id }) => organization_id ?? []))
    const before = only === undefined ? [...this.#organizations] : [only].filter((id) => this.#organizations.has(id))
    const ended = before.filter((id) => !found.has(id))
    const begun = [...found].filter((id) => !this.#organizations.has(id))
    for (const id of ended) this.#organizations.delete(id)
    for (const id of begun) this.#organizations.add(id)
    for (const id of [...ended, ...begun]) for (const listener of this.#listeners) listener(id)
  }
}
