/** One webhook: configuration, status, deliveries. */
import { useState } from 'react'
import type { Webhook, WebhookWithSecret } from '../../../events/webhooks/schema.ts'
import { useAction } from '../../data/action.ts'
import { changedFields } from '../../data/changed-fields.ts'
import { useResource } from '../../data/resource.ts'
import { at } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { Deliveries } from './deliveries.tsx'
import { RecoverDialog } from './recover.tsx'
import { Recoveries } from './recoveries.tsx'
import { RecoveryProgress } from './recovery-progress.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { useEnabling, WebhookActions } from './webhook-actions.tsx'
import { type WebhookFields, WebhookForm } from './webhook-form.tsx'
import { deadLetterCount, deadLettersAt, reasons, WebhookStatus } from './webhook-status.tsx'

const refreshMs = 10_000

export default function WebhookPage() {
  const { environmentId, environment } = useEnvironment()
  const { webhookId } = useIds('webhookId')
  const webhook = useResource(
    ['webhooks', environmentId, webhookId],
    (options) => environment.webhooks({ webhookId }).get(options),
    {
      every: refreshMs,
    },
  )
  return <Shown resource={webhook}>{(webhook) => <One webhook={webhook} />}</Shown>
}

function One({ webhook }: { webhook: Webhook }) {
  const place = usePlace()
  const [editing, setEditing] = useState(false)
  const [recovering, setRecovering] = useState(false)
  const { id, endpointUrl, eventTypes, enabled, createdAt, updatedAt } = webhook
  return (
    <Page
      title="Webhook"
      badge={<WebhookStatus webhook={webhook} />}
      about={<code>{endpointUrl}</code>}
      up={{ title: 'Webhooks', href: at(place, 'webhooks') }}
      actions={<WebhookActions webhook={webhook} onEdit={() => setEditing(true)} />}
    >
      {enabled ? <Unhealthy webhook={webhook} onRecover={() => setRecovering(true)} /> : <Disabled webhook={webhook} />}
      <Facts
        facts={[
          ['ID', <Id key="id" id={id} />],
          ['Signing secret', <Secret key="secret" webhook={webhook} />],
          ['Failed responses', <Captured key="captured" webhook={webhook} />],
          ['Created', <Time key="created" at={createdAt} />],
          ['Updated', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Section title="Events">
        <div className="row">
          {eventTypes.map((kind) => (
            <Tag key={kind}>{kind}</Tag>
          ))}
        </div>
      </Section>
      <Section
        title="Deliveries"
        actions={
          enabled && (
            <Button needs="webhooks:retry-dead" icon="refresh" onClick={() => setRecovering(true)}>
              Recover deliveries
            </Button>
          )
        }
      >
        <RecoveryProgress webhookId={id} />
        <Deliveries webhookId={id} />
      </Section>
      <Recoveries webhookId={id} />
      {editing && <EditWebhook webhook={webhook} onClose={() => setEditing(false)} />}
      {recovering && <RecoverDialog webhookId={id} onClose={() => setRecovering(false)} />}
    </Page>
  )
}

/** Problem of an enabled webhook, and its remedy; renders nothing if it is healthy. */
function Unhealthy({ webhook, onRecover }: { webhook: Webhook; onRecover: () => void }) {
  const place = usePlace()
  const { id, failingSince, deadLetters } = webhook
  if (failingSince === null && deadLetters === 0) return null
  return (
    <div className={failingSince ? 'banner banner-bad' : 'banner banner-warning'} role="status">
      <Icon name="warning" />
      <span>
        {failingSince ? (
          <>
            The endpoint has refused every attempt since <Time at={failingSince} />.
          </>
        ) : (
          'The endpoint accepts deliveries again.'
        )}
        {deadLetters > 0 && ` ${counted(deadLetters)}, which are not retried automatically.`}
      </span>
      {deadLetters > 0 && (
        <span className="row">
          <LinkButton small href={deadLettersAt(place, id)}>
            Show dead letters
          </LinkButton>
          <Button needs="webhooks:retry-dead" small onClick={onRecover}>
            Recover
          </Button>
        </span>
      )}
    </div>
  )
}

const counted = (deadLetters: number) =>
  deadLetters === 1 ? 'One delivery is a dead letter' : `${deadLetterCount(deadLetters)} deliveries are dead letters`

/** Whether failed responses are captured, with a switch. */
function Captured({ webhook: { id: webhookId, captureResponses } }: { webhook: Webhook }) {
  const { environmentId, environment } = useEnvironment()
  const toggle = useAction(() => environment.webhooks({ webhookId }).patch({ captureResponses: !captureResponses }), {
    success: captureResponses ? 'Failed responses are no longer captured' : 'Failed responses are captured from now on',
    changes: [['webhooks', environmentId]],
  })
  return (
    <span className="row">
      {captureResponses ? 'captured' : 'not captured'}
      <Button needs="webhooks:create" small tone="quiet" pending={toggle.pending} onClick={() => toggle.run()}>
        {captureResponses ? 'Stop' : 'Capture'}
      </Button>
    </span>
  )
}

function Disabled({ webhook: { id, disabledReason } }: { webhook: Webhook }) {
  const enable = useEnabling(id)
  return (
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>
        {disabledReason ? `Disabled by the server. ${reasons[disabledReason]}` : 'This webhook is disabled.'} Events in
        the meantime are missed; they can be recovered once it is enabled again.
      </span>
      <Button needs="webhooks:create" small pending={enable.pending} onClick={() => enable.run(true)}>
        Enable
      </Button>
    </div>
  )
}

function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { environmentId, environment } = useEnvironment()
  const [given] = useState<WebhookFields>(webhook)
  const change = useAction(
    (fields: WebhookFields) => environment.webhooks({ webhookId: webhook.id }).patch(changedFields(given, fields)),
    {
      success: 'Webhook updated',
      changes: [['webhooks', environmentId]],
      done: onClose,
      quiet: true,
    },
  )
  return (
    <Dialog title="Edit webhook" open onClose={onClose}>
      <WebhookForm action={change} submit="Save" given={given} onSubmit={change.run} />
    </Dialog>
  )
}

/** Version of the secret, and rotation. */
function Secret({ webhook: { id: webhookId, secretVersion } }: { webhook: Webhook }) {
  const { environmentId, environment } = useEnvironment()
  const [secret, setSecret] = useState<WebhookWithSecret>()
  return (
    <span className="row">
      version {secretVersion}
      <ConfirmAction
        needs="webhooks:rotate-secret"
        small
        tone="quiet"
        question="Rotate the signing secret?"
        consequence={<p>The new secret is shown once. For 24 hours deliveries are signed with both secrets.</p>}
        confirm="Rotate secret"
        act={() => environment.webhooks({ webhookId }).secrets.post()}
        options={{ changes: [['webhooks', environmentId]], done: setSecret }}
      >
        Rotate
      </ConfirmAction>
      {secret && <SigningSecret webhook={secret} onDone={() => setSecret(undefined)} />}
    </span>
  )
}
