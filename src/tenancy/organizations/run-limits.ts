/** Limits of each run of an organization, cached until they change. Source: contract 13, "Budgets". */
import type { RunBudget } from '../../../machines/run/budget.ts'
import type { Store } from '../../../storage/store.ts'
import { findRunLimits } from '../../../storage/tenancy/run-limits.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Revocations } from '../authority/revocations.ts'

const organizationsMax = 10_000

export class OrganizationRunLimits {
  #known = new RecentlyUsed<{ limits: RunBudget | null }>(organizationsMax)
  /** A look-up that began before a change is not kept after it. */
  #changes = 0

  /** Changes are announced like those of authority, to every process. */
  constructor(private readonly parts: { store: Store; revocations: Pick<Revocations, 'listen' | 'isHearing'> }) {
    parts.revocations.listen(({ organizationId, userId, credentialId }) => {
      if (userId !== undefined || credentialId !== undefined) return
      this.#changes += 1
      if (organizationId === undefined) this.#known = new RecentlyUsed(organizationsMax)
      else this.#known.delete(organizationId)
    })
  }

  /** null without limits; a plain value if it is known. */
  of(organizationId: string): RunBudget | null | Promise<RunBudget | null> {
    const known = this.parts.revocations.isHearing() ? this.#known.get(organizationId) : undefined
    return known ? known.limits : this.#read(organizationId)
  }

  async #read(organizationId: string): Promise<RunBudget | null> {
    const { store } = this.parts
    const changes = this.#changes
    const row = await store.first(findRunLimits(store, { organizationId }))
    const limits = row ? (JSON.parse(row.limits) as RunBudget) : null
    if (changes === this.#changes) this.#known.set(organizationId, { limits })
    return limits
  }
}
