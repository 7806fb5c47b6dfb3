/** Whether a webhook is told anything, and why not. */
import type { Webhook } from '../../../events/webhooks/schema.ts'
import { StateBadge } from '../../ui/badge.tsx'

export const reasons = {
  endpoint_gone: 'The endpoint answered 410: it is gone. Nothing more is posted there.',
  failing: 'Every attempt has failed for 120 hours.',
}

export function WebhookStatus({ webhook: { enabled, disabledReason } }: { webhook: Webhook }) {
  if (enabled) return <StateBadge state="enabled" tone="good" />
  if (disabledReason === null) return <StateBadge state="disabled" />
  return (
    <span title={reasons[disabledReason]}>
      <StateBadge state={disabledReason === 'failing' ? 'disabled, failing' : 'disabled, gone'} tone="bad" />
    </span>
  )
}
