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
  config: Pick<Config, 'auditRetentionDays' | 'operationRetentionDays' | 'runRetentionDays' | 'sweepIntervalMs'>,
): Chore[] {
  const { clock, actors, vault, idempotency, eventRetention, contentRetention, runRetention } = parts
  const { operationRetentionDays: operationDays, runRetentionDays: runDays, sweepIntervalMs } = config
  const { background: store } = parts.store
  const deliveries = parts.deliveryWork.retention
  const audit = new AuditRetention({ store, clock, days: config.auditRetentionDays })
  const replanning = new Replanning({ store: parts.store, clock, actors })
  const often = (ms: number) => Math.min(ms, sweepIntervalMs)
  const chore = (name: string, run: Chore['run'], everyMs = sweepIntervalMs): Chore => ({ name, everyMs, run })
  const operations = (days: number): Chore[] => {
    const ended = () => ({ store, actors, until: clock.now() - days * day })
    return [
      // workflows first: their invocations go when they are gone
      chore('workflow runs', (limit) => pruneWorkflowRuns(ended(), limit)),
      chore('operation invocations', (limit) => pruneInvocations(ended(), limit)),
    ]
  }
  return [
    chore('idempotency keys', (limit) => idempotency.prune(limit)),
    chore('sessions', (limit) => pruneSessions(store, clock.now(), limit)),
    chore('invitations', (limit) => pruneInvitations(store, clock.now(), limit)),
    chore('account tokens', (limit) => pruneAccountTokens(store, clock.now(), limit)),
    chore('notices', (limit) => pruneNotices(store, clock.now(), limit)),
    chore('long texts', () => parts.store.sweepTexts(), often(minute)),
    chore('content of runs', (limit) => contentRetention.prune(limit)),
    ...(runDays === null ? [] : [chore('ended runs', (limit) => runRetention.prune(runDays, limit))]),
    chore('sizes of earlier runs', (limit) => countOldRuns({ store, actors }, limit), often(minute)),
    chore('events', (limit) => eventRetention.prune(limit)),
    chore('audit events', (limit) => audit.prune(limit)),
    chore('deliveries', (limit) => deliveries.pruneExpired(limit), often(minute)),
    chore('deleted webhooks', (limit) => deliveries.pruneDeleted(limit), often(minute)),
    chore('signing secrets', (limit) => deliveries.pruneSecrets(limit)),
    chore('ticks of jobs', (limit) => replanning.look(limit), often(minute / 2)),
    chore('consent flows', (limit) => pruneUsedFlows(store, clock.now(), limit)),
    chore('data keys', (limit) => vault.rewrap(limit), often(minute)),
    chore('entity calls', (limit) => pruneEntityCalls({ store, clock }, limit)),
    chore('deleted entities', (limit) => pruneEntities({ store, clock, actors }, limit)),
    ...(operationDays === null ? [] : operations(operationDays)),
    chore('run tallies', (limit) => pruneTallies(store, clock.now() - keptMs, limit)),
    chore('billing events', async (limit) => (await parts.billing.inbox?.prune(limit)) ?? 0),
    chore('deletion receipts', (limit) => pruneReceipts({ store, clock, actors }, limit)),
  ]
}
