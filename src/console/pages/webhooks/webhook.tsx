/** Webhook: where it posts, how it stands, and every delivery with its attempts. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Webhook, WebhookWithSecret } from '../../../webhooks/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { Deliveries } from './deliveries.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { reasons, WebhookStanding } from './standing.tsx'
import { type WebhookFields, WebhookForm } from './webhook-form.tsx'

export default function WebhookPage() {
  const api = useApi()
  const { projectId, environmentId, webhookId } = useIds('projectId', 'environmentId', 'webhookId')
  const webhook = useResource(['webhooks', environmentId, webhookId], (options) =>
    api.v1.projects({ projectId }).environments({ environmentId }).webhooks({ webhookId }).get(options),
  )
  return <Shown resource={webhook}>{(webhook) => <One webhook={webhook} />}</Shown>
}

function useWebhookActions({ id: webhookId, endpointUrl }: Webhook) {
  const api = useApi()
  const place = usePlace()
  const [, navigate] = useLocation()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const webhook = api.v1.projects({ projectId }).environments({ environmentId }).webhooks({ webhookId })
  const [secret, setSecret] = useState<WebhookWithSecret>()
  const [changing, setChanging] = useState(false)
  const changes = [['webhooks', environmentId]]
  return {
    secret,
    forgetSecret: () => setSecret(undefined),
    changing,
    setChanging,
    change: useAction((fields: WebhookFields) => webhook.patch(fields), {
      success: 'The webhook is changed',
      changes,
      done: () => setChanging(false),
      quiet: true,
    }),
    enable: useAction((enabled: boolean) => webhook.patch({ enabled }), {
      success: ({ enabled }) => (enabled ? 'The webhook is enabled' : 'The webhook is disabled'),
      changes,
    }),
    rotate: useAction(() => webhook.secrets.post(), { changes, done: setSecret }),
    remove: useAction(() => webhook.delete(), {
      success: `${endpointUrl} is told nothing more`,
      changes,
      done: () => navigate(at(place, 'webhooks')),
    }),
  }
}

function One({ webhook }: { webhook: Webhook }) {
  const place = usePlace()
  const { enable, rotate, remove, change, changing, setChanging, secret, forgetSecret } = useWebhookActions(webhook)
  const { id, endpointUrl, eventTypes, enabled, disabledReason, secretVersion, createdAt, updatedAt } = webhook
  const actions = (
    <>
      <Button icon="settings" onClick={() => setChanging(true)}>
        Change
      </Button>
      {enabled && (
        <ConfirmButton
          tone="plain"
          pending={enable.pending}
          question="Disable this webhook?"
          consequence={
            <p>What happens meanwhile is not for it. Deliveries that wait are sent when it is enabled again.</p>
          }
          confirm="Disable it"
          onConfirm={() => enable.run(false)}
        >
          Disable
        </ConfirmButton>
      )}
      <ConfirmButton
        tone="plain"
        icon="key"
        pending={rotate.pending}
        question="Rotate the signing secret?"
        consequence={
          <p>
            The new one is shown once. For 24 hours every delivery is signed with both, so that you have time to change.
          </p>
        }
        confirm="Rotate it"
        onConfirm={() => rotate.run()}
      >
        Rotate secret
      </ConfirmButton>
      <ConfirmButton
        pending={remove.pending}
        question="Delete this webhook?"
        consequence={<p>Nothing more is sent to {endpointUrl}, and its deliveries are removed.</p>}
        confirm="Delete it"
        onConfirm={() => remove.run()}
      >
        Delete
      </ConfirmButton>
    </>
  )
  return (
    <Page
      title="Webhook"
      badge={<WebhookStanding webhook={webhook} />}
      about={<code>{endpointUrl}</code>}
      up={{ title: 'Webhooks', href: at(place, 'webhooks') }}
      actions={actions}
    >
      {!enabled && (
        <div className="banner banner-warning" role="status">
          <Icon name="warning" />
          <span>
            {disabledReason ? `The server has disabled it. ${reasons[disabledReason]}` : 'It is disabled.'} What happens
            meanwhile is not for it.
          </span>
          <Button small pending={enable.pending} onClick={() => enable.run(true)}>
            Enable it
          </Button>
        </div>
      )}
      <Facts
        facts={[
          ['Id', <Id key="id" id={id} />],
          ['Secret', `version ${secretVersion}`],
          ['Created', <Time key="created" at={createdAt} />],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Section title="Events">
        <div className="row">
          {eventTypes.map((kind) => (
            <Tag key={kind}>{kind}</Tag>
          ))}
        </div>
      </Section>
      <Section title="Deliveries">
        <Deliveries webhookId={id} />
      </Section>
      <Dialog title="Change the webhook" open={changing} onClose={() => setChanging(false)}>
        <WebhookForm action={change} submit="Save" given={{ endpointUrl, eventTypes }} onSubmit={change.run} />
      </Dialog>
      {secret && <SigningSecret webhook={secret} onDone={forgetSecret} />}
    </Page>
  )
}
