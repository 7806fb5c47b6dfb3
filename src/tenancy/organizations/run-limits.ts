/**
 * Limits of each run of an organization, cached until they change, and for two seconds at most: a server that dies between
 * the commit of a change and its announcement tells nobody. Source: contract 13, "Budgets".
 */
import type { RunBudget } from '../../../machines/run/budget.ts'
import type { Store } from '../../../storage/store.ts'
import { findRunLimits } from '../../../storage/tenancy/run-limits.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'

const organizationsMax = 10_000
const keptMs = 2_000

interface Known {
  limits: RunBudget | null
  /** When they were read, epoch milliseconds. */
  at: number
}

export class OrganizationRunLimits {
  #known = new RecentlyUsed<Known>(organizationsMax)
  /** A look-up that began before a change is not kept after it. */
  #changes = 0

  /** Changes are announced like those of authority, to every process. */
  constructor(
    private readonly parts: {
      store: Store
      clock: Pick<Clock, 'now'>
      revocations: Pick<Revocations, 'listen' | 'isHearing'>
    },
  ) {
    parts.revocations.listen(({ organizationId, userId, credentialId }) => {
      if (userId !== undefined || credentialId !== undefined) return
      this.#changes += 1
      if (organizationId === undefined) this.#known = new RecentlyUsed(organizationsMax)
      else this.#known.delete(organizationId)
    })
  }

  /** null without limits; a plain value if it is known. */
  of(organizationId: string): RunBudget | null | Promise<RunBudget | null> {
    const { clock, revocations } = this.parts
    const known = revocations.isHearing() ? this.#known.get(organizationId) : undefined
    const ageMs = known ? clock.now() - known.at : 0
    // a clock that was set back must not extend it
    return known && ageMs >= 0 && ageMs < keptMs ? known.limits : this.#read(organizationId)
  }

  async #read(organizationId: string): Promise<RunBudget | null> {
    const { store, clock } = this.parts
    const [changes, at] = [this.#changes, clock.now()]
    const row = await store.first(findRunLimits(store, { organizationId }))
    const limits = row ? (JSON.parse(row.limits) as RunBudget) : null
    if (changes === this.#changes) this.#known.set(organizationId, { limits, at })
    return limits
  }
}
