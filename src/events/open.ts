/** Events without HTTP: recording, retention and delivery to webhooks. */
import { deliveryLimits } from '../../machines/delivery.ts'
import type { Store } from '../../storage/store.ts'
import type { Config } from '../config.ts'
import type { Hints } from '../platform/bus/hints.ts'
import type { Notices } from '../platform/mail/notices.ts'
import type { Members } from '../platform/members/members.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { OutboundClient } from '../platform/outbound/client.ts'
import type { Vault } from '../platform/secrets/vault.ts'
import type { Clock } from '../platform/time/clock.ts'
import { dayMs } from '../platform/time/durations.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { Actors } from '../runtime/actors.ts'
import { DeliveryTraces } from './deliveries/delivery-traces.ts'
import { DeliveryWork } from './deliveries/delivery-work.ts'
import { Broadcasts } from './history/broadcasts.ts'
import { EventRetention } from './history/retention.ts'
import { RecoveryWork } from './webhooks/recoveries/recovery-work.ts'
import { SigningSecrets } from './webhooks/signing-secrets.ts'

interface OpenEventsParts {
  settings: Pick<
    Config,
    'eventRetentionDays' | 'webhookBackoffMs' | 'webhookLeaseMs' | 'webhookTimeoutMs' | 'webhookFailingMs'
  >
  store: Store
  clock: Clock
  /** The servers of the store. */
  members: Members
  hints: Hints
  actors: Actors
  logger: Logger
  vault: Vault
  outbound: OutboundClient
  /** Mails members; null if no mail server is configured. */
  notices: Notices | null
  /** null: traces are disabled. */
  tracing: Tracing | null
  onError(error: unknown, what: string): void
}

export function openEvents({ settings, vault, tracing, ...parts }: OpenEventsParts) {
  const { store, clock, actors } = parts
  const traces = tracing && new DeliveryTraces(tracing)
  const deliveryWork = new DeliveryWork({
    ...parts,
    traces,
    secrets: new SigningSecrets({ store, vault }),
    limits: deliveryLimits({ backOffMs: settings.webhookBackoffMs, leaseMs: settings.webhookLeaseMs }),
    timeoutMs: settings.webhookTimeoutMs,
    failingMs: settings.webhookFailingMs,
    retentionMs: settings.eventRetentionDays * dayMs,
  })
  const recoveryWork = new RecoveryWork({
    store,
    clock,
    actors,
    eventsUntil: () => deliveryWork.eventsUntil(),
    made: (webhookId) => deliveryWork.made(webhookId),
    traces,
    onError: parts.onError,
  })
  return {
    broadcasts: new Broadcasts(parts),
    eventRetention: new EventRetention({ store, clock, days: settings.eventRetentionDays }),
    deliveryWork,
    recoveryWork,
  }
}
