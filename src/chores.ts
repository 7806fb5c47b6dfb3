/** What is removed in the background once its time is over, and how often somebody looks. */
import { pruneTallies } from '../storage/run-tallies.ts'
import { pruneAccountTokens } from './accounts/tokens.ts'
import type { AreaParts } from './areas.ts'
import { AuditRetention } from './audit/retention.ts'
import type { Config } from './config.ts'
import { pruneReceipts } from './deletions/receipts.ts'
import { pruneEntities, pruneEntityCalls } from './entities/retention.ts'
import { pruneInvitations } from './invitations/invitations.ts'
import { Replanning } from './jobs/replanning.ts'
import { pruneNotices } from './mail/notices.ts'
import { pruneUsedFlows } from './oauth/used-flows.ts'
import type { Chore } from './operating/housekeeping.ts'
import { pruneInvocations } from './operations/invocations/retention.ts'
import { keptMs } from './runs/statistics/window.ts'
import { countOldRuns } from './runs/uncounted.ts'
import { pruneSessions } from './sessions/service.ts'
import { pruneWorkflowRuns } from './workflows/retention.ts'

const minute = 60_000
const day = 86_400_000

export function choresOf(
  parts: AreaParts,
  config: Pick<Config, 'auditRetentionDays' | 'operationRetentionDays'>,
): Chore[] {
  const { store, clock, actors, vault, idempotency, eventRetention, contentRetention } = parts
  const { operationRetentionDays: operationDays } = config
  const deliveries = parts.deliveryWork.retention
  const audit = new AuditRetention({ store, clock, days: config.auditRetentionDays })
  const replanning = new Replanning({ store, clock, actors })
  const chore = (name: string, everyMs: number, run: Chore['run']): Chore => ({ name, everyMs, run })
  const operations = (days: number): Chore[] => {
    const ended = () => ({ store, actors, until: clock.now() - days * day })
    return [
      // workflows first: their invocations go when they are gone
      chore('workflow runs', 10 * minute, (limit) => pruneWorkflowRuns(ended(), limit)),
      chore('operation invocations', 10 * minute, (limit) => pruneInvocations(ended(), limit)),
    ]
  }
  return [
    chore('idempotency keys', 10 * minute, (limit) => idempotency.prune(limit)),
    chore('sessions', 10 * minute, (limit) => pruneSessions(store, clock.now(), limit)),
    chore('invitations', 10 * minute, (limit) => pruneInvitations(store, clock.now(), limit)),
    chore('account tokens', 10 * minute, (limit) => pruneAccountTokens(store, clock.now(), limit)),
    chore('notices', 10 * minute, (limit) => pruneNotices(store, clock.now(), limit)),
    chore('long texts', minute, () => store.sweepTexts()),
    chore('content of runs', 10 * minute, (limit) => contentRetention.prune(limit)),
    chore('sizes of earlier runs', minute, (limit) => countOldRuns({ store, actors }, limit)),
    chore('events', 10 * minute, (limit) => eventRetention.prune(limit)),
    chore('audit events', 10 * minute, (limit) => audit.prune(limit)),
    chore('deliveries', minute, (limit) => deliveries.pruneExpired(limit)),
    chore('deleted webhooks', minute, (limit) => deliveries.pruneDeleted(limit)),
    chore('signing secrets', 10 * minute, (limit) => deliveries.pruneSecrets(limit)),
    chore('ticks of jobs', minute / 2, (limit) => replanning.look(limit)),
    chore('consent flows', 10 * minute, (limit) => pruneUsedFlows(store, clock.now(), limit)),
    chore('data keys', minute, (limit) => vault.rewrap(limit)),
    chore('entity calls', 10 * minute, (limit) => pruneEntityCalls({ store, clock }, limit)),
    chore('deleted entities', 10 * minute, (limit) => pruneEntities({ store, clock, actors }, limit)),
    ...(operationDays === null ? [] : operations(operationDays)),
    chore('run tallies', 10 * minute, (limit) => pruneTallies(store, clock.now() - keptMs, limit)),
    chore('billing events', 10 * minute, async (limit) => (await parts.billing.inbox?.prune(limit)) ?? 0),
    chore('deletion receipts', 10 * minute, (limit) => pruneReceipts({ store, clock, actors }, limit)),
  ]
}
