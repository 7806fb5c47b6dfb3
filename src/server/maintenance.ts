/** What is removed in the background once its time is over, and how often somebody looks. */
import { pruneTallies } from '../../storage/runs/run-tallies.ts'
import { pruneUsedFlows } from '../accounts/oauth/used-flows.ts'
import type { AreaParts } from '../areas.ts'
import { Replanning } from '../automation/agent-jobs/replanning.ts'
import { pruneEntities, pruneEntityCalls } from '../automation/entities/retention.ts'
import { pruneInvocations } from '../automation/operations/invocations/retention.ts'
import { pruneWorkflowRuns } from '../automation/workflows/retention.ts'
import type { Config } from '../config.ts'
import { pruneNotices } from '../platform/mail/notices.ts'
import type { Chore } from '../platform/operating/housekeeping.ts'
import { countOldRuns } from '../runs/statistics/uncounted.ts'
import { keptMs } from '../runs/statistics/window.ts'
import { AuditRetention } from '../tenancy/audit/retention.ts'
import { pruneReceipts } from '../tenancy/deletions/receipts.ts'
import { pruneInvitations } from '../tenancy/invitations/invitations.ts'
import { pruneSessions } from '../tenancy/sessions/service.ts'
import { pruneAccountTokens } from '../tenancy/user-accounts/tokens.ts'

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
