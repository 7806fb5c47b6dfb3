/** What is removed in the background once its time is over, and how often somebody looks. */
import { pruneTallies } from '../../storage/runs/run-tallies.ts'
import { pruneUsedFlows } from '../accounts/oauth/used-flows.ts'
import { Replanning } from '../automation/agent-jobs/replanning.ts'
import { pruneEntities, pruneEntityCalls } from '../automation/entities/retention.ts'
import { pruneInvocations } from '../automation/operations/invocations/retention.ts'
import { pruneWorkflowRuns } from '../automation/workflows/retention.ts'
import type { Config } from '../config.ts'
import { pruneNotices } from '../platform/mail/notices.ts'
import type { MaintenanceTask } from '../platform/operating/housekeeping.ts'
import { countOldRuns } from '../runs/statistics/uncounted.ts'
import { keptMs } from '../runs/statistics/window.ts'
import { AuditRetention } from '../tenancy/audit/retention.ts'
import { pruneReceipts } from '../tenancy/deletions/receipts.ts'
import { pruneInvitations } from '../tenancy/invitations/invitations.ts'
import { pruneSessions } from '../tenancy/sessions/service.ts'
import { pruneAccountTokens } from '../tenancy/user-accounts/tokens.ts'
import type { AreaParts } from './area-parts.ts'

const minute = 60_000
const day = 86_400_000

export function maintenanceOf(
  parts: AreaParts,
  config: Pick<Config, 'auditRetentionDays' | 'operationRetentionDays' | 'runRetentionDays' | 'sweepIntervalMs'>,
): MaintenanceTask[] {
  const { clock, actors, vault, idempotency, eventRetention } = parts
  const { contentRetention, runRetention } = parts.runs
  const { operationRetentionDays: operationDays, runRetentionDays: runDays, sweepIntervalMs } = config
  const { background: store } = parts.store
  const deliveries = parts.deliveryWork.retention
  const audit = new AuditRetention({ store, clock, days: config.auditRetentionDays })
  const replanning = new Replanning({ store: parts.store, clock, actors })
  const often = (ms: number) => Math.min(ms, sweepIntervalMs)
  const task = (name: string, run: MaintenanceTask['run'], everyMs = sweepIntervalMs): MaintenanceTask => ({
    name,
    everyMs,
    run,
  })
  const operations = (days: number): MaintenanceTask[] => {
    const ended = () => ({ store, actors, until: clock.now() - days * day })
    return [
      // workflows first: their invocations go when they are gone
      task('workflow runs', (limit) => pruneWorkflowRuns(ended(), limit)),
      task('operation invocations', (limit) => pruneInvocations(ended(), limit)),
    ]
  }
  return [
    task('idempotency keys', (limit) => idempotency.prune(limit)),
    task('sessions', (limit) => pruneSessions(store, clock.now(), limit)),
    task('invitations', (limit) => pruneInvitations(store, clock.now(), limit)),
    task('account tokens', (limit) => pruneAccountTokens(store, clock.now(), limit)),
    task('notices', (limit) => pruneNotices(store, clock.now(), limit)),
    task('long texts', () => parts.store.sweepTexts(), often(minute)),
    task('content of runs', (limit) => contentRetention.prune(limit)),
    ...(runDays === null ? [] : [task('ended runs', (limit) => runRetention.prune(runDays, limit))]),
    task('sizes of earlier runs', (limit) => countOldRuns({ store, actors }, limit), often(minute)),
    task('events', (limit) => eventRetention.prune(limit)),
    task('audit events', (limit) => audit.prune(limit)),
    task('deliveries', (limit) => deliveries.pruneExpired(limit), often(minute)),
    task('deleted webhooks', (limit) => deliveries.pruneDeleted(limit), often(minute)),
    task('signing secrets', (limit) => deliveries.pruneSecrets(limit)),
    task('ticks of jobs', (limit) => replanning.look(limit), often(minute / 2)),
    task('consent flows', (limit) => pruneUsedFlows(store, clock.now(), limit)),
    task('data keys', (limit) => vault.rewrap(limit), often(minute)),
    task('entity calls', (limit) => pruneEntityCalls({ store, clock }, limit)),
    task('deleted entities', (limit) => pruneEntities({ store, clock, actors }, limit)),
    ...(operationDays === null ? [] : operations(operationDays)),
    task('run tallies', (limit) => pruneTallies(store, clock.now() - keptMs, limit)),
    task('billing events', async (limit) => (await parts.billing.inbox?.prune(limit)) ?? 0),
    task('deletion receipts', (limit) => pruneReceipts({ store, clock, actors }, limit)),
  ]
}
