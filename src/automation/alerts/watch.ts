/** Evaluates all rules in turn, a few at a time, and reports each measurement to the alert; its statechart decides. */
import type { AlertContext } from '../../../machines/alert.ts'
import { listWatchedRules } from '../../../storage/automation/alerts.ts'
import type { Store } from '../../../storage/store.ts'
import type { AlertRuleRow } from '../../../storage/tables.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import type { BudgetStanding } from '../budget.ts'
import { oneByOne } from '../one-by-one.ts'
import { alertAddress, alertKind } from './actor.ts'
import type { Condition } from './condition.ts'
import { type Measured, measure } from './measure.ts'

interface AlertWorkParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  notices: Pick<Notices, 'ofAlert'> | null
  budgetOf(organizationId: string): Promise<BudgetStanding>
  onError(error: unknown, what: string): void
}

type WatchedRule = Pick<AlertRuleRow, 'organization_id' | 'environment_id' | 'condition'>

export class AlertWork {
  /** The definition for the actor runtime. */
  readonly kind
  readonly notices
  /** The last rule that was evaluated in this round. */
  #after = ''

  constructor(private readonly parts: AlertWorkParts) {
    this.notices = parts.notices
    this.kind = alertKind(parts)
  }

  /** The current measurement of the rule. */
  measure({ organization_id, environment_id, condition }: WatchedRule): Promise<Measured> {
    const watched = { organizationId: organization_id, environmentId: environment_id }
    return measure(this.parts, watched, JSON.parse(condition) as Condition, this.parts.clock.now())
  }

  /** Evaluates one rule now. */
  async look(id: string): Promise<void> {
    const { actors } = this.parts
    const actor = await actors.read<AlertRuleRow, AlertContext>(alertAddress(id))
    if (!actor || (!actors.hasRow(actor, 'breached') && !actors.hasRow(actor, 'cleared'))) return
    const { value, isBreached } = await this.measure(actor.row)
    const type = isBreached ? 'breached' : 'cleared'
    if (!actors.hasRow(actor, type)) return
    try {
      await actors.send(alertAddress(id), { type, value, seen: actor.context.moves ?? 0 })
    } catch (error) {
      // its time has not come, or the rule was changed or deleted meanwhile
      if (!isOver(error)) throw error
    }
  }

  /** Evaluates the next rules of the round; fewer than `limit` mean that the round is complete. */
  async evaluateSome(limit: number): Promise<number> {
    const { store, onError } = this.parts
    const rules = await store.background.all(listWatchedRules(store, { after: this.#after, limit }))
    await oneByOne(
      rules,
      ({ id }) => store.background.turn(() => this.look(id)),
      (error, id) => onError(error, `the alert rule ${id}`),
    )
    this.#after = rules.length < limit ? '' : (rules.at(-1)?.id ?? '')
    return rules.length
  }
}
