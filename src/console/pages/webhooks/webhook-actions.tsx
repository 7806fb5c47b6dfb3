/** Actions of a webhook. */
import type { Webhook } from '../../../events/webhooks/schema.ts'
import { useAddressQuery } from '../../address-query.ts'
import { useAction } from '../../data/action.ts'
import { at } from '../../places.ts'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'

/** `enable.run(true)`, `enable.run(false)` */
export function useEnabling(webhookId: string) {
  const { environmentId, environment } = useEnvironment()
  return useAction((enabled: boolean) => environment.webhooks({ webhookId }).patch({ enabled }), {
    success: ({ enabled }) => (enabled ? 'Webhook enabled' : 'Webhook disabled'),
    changes: [['webhooks', environmentId]],
  })
}

export function WebhookActions({ webhook, onEdit }: { webhook: Webhook; onEdit: () => void }) {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const { id: webhookId, endpointUrl, enabled } = webhook
  const { change } = useAddressQuery('delivery')
  const path = environment.webhooks({ webhookId })
  const enable = useEnabling(webhookId)
  const test = useAction(() => path.test.post(), {
    changes: [['webhooks', environmentId, webhookId]],
    done: ({ deliveryId }) => change({ delivery: deliveryId }),
  })
  return (
    <>
      {enabled && (
        <Button needs="webhooks:create" icon="bolt" pending={test.pending} onClick={() => test.run()}>
          Send test event
        </Button>
      )}
      <Button needs="webhooks:create" icon="settings" onClick={onEdit}>
        Edit
      </Button>
      {enabled && (
        <ConfirmButton
          needs="webhooks:create"
          tone="plain"
          pending={enable.pending}
          question="Disable this webhook?"
          consequence={
            <p>
              Nothing is posted until it is enabled again. Pending deliveries are sent then; events in the meantime are
              missed, and can be recovered.
            </p>
          }
          confirm="Disable webhook"
          onConfirm={() => enable.run(false)}
        >
          Disable
        </ConfirmButton>
      )}
      <ConfirmAction
        needs="webhooks:delete"
        question="Delete this webhook?"
        consequence={<p>Nothing more is sent to {endpointUrl}, and its deliveries are removed.</p>}
        confirm="Delete webhook"
        act={() => path.delete()}
        options={{
          success: 'Webhook deleted',
          changes: [['webhooks', environmentId]],
          opens: () => at(place, 'webhooks'),
        }}
      >
        Delete
      </ConfirmAction>
    </>
  )
}
