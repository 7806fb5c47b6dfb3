/** What an organization has used in a period, from whoever measures. Source: contract 8, `Usage`. */
import type { Period } from '../../machines/period.ts'

export interface UsageCounters {
  /** Minutes that attempts have held a machine, with decimals. */
  minutes: number
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
}

export interface UsageSource {
  of(organizationId: string, period: Period): Promise<UsageCounters>
}
