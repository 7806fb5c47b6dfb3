/** Reports the server's own measurements of the model calls that it makes for external runners. */
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { PricedModel } from '../../../platform/models/prices/prices.ts'
import { usageText } from '../../records/step-columns.ts'
import type { Report } from '../../reports.ts'
import type { TokenUsage } from '../../runner/protocol/protocol.ts'
import type { AttemptReportsParts } from './parts.ts'
import { sendReport } from './send-report.ts'
import { usedByCall, withCall } from './step-costs.ts'

export class MeteredCalls {
  constructor(private readonly parts: Pick<AttemptReportsParts, 'actors' | 'sessions' | 'prices'>) {}

  /** A call begins within its step. Throws `StaleAttempt` if the run's budget does not allow it. */
  async begin(claims: AttemptClaims, model: PricedModel): Promise<void> {
    const session = await this.parts.sessions.find(claims)
    if (!session.hasBudget) return
    const begins = { currency: this.parts.prices.currencyOf(model) }
    await sendReport(this.parts, claims, { type: 'progressed', reports: [], begins })
  }

  /** Records the usage of a call in its open step. Throws `StepEnded`. */
  async meter(claims: AttemptClaims, agentStepId: number, usage: TokenUsage, model: PricedModel): Promise<void> {
    const { used, cost } = usedByCall(this.parts.prices, model, usage)
    const report: Report = { report: 'metered', agentStepId, token_usage: usageText(usage), cost }
    const { openSteps } = await this.parts.sessions.find(claims)
    await sendReport(this.parts, claims, { type: 'progressed', reports: [report], used })
    const step = openSteps.get(agentStepId)
    if (step) openSteps.set(agentStepId, withCall(step, usage, cost))
  }
}
