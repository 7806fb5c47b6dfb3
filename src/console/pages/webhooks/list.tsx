/** Webhooks of an Environment, and the form for a new one. */
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { WebhookWithSecret } from '../../../events/webhooks/schema.ts'
import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button, NewButton } from '../../ui/forms/button.tsx'
import { Choice, Choices } from '../../ui/forms/choice.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useOpened } from '../../use-opened.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { SigningSecret } from './signing-secret.tsx'
import { type WebhookFields, WebhookForm } from './webhook-form.tsx'
import { deadLetterCount, deadLettersAt, healthOf, healths, healthWords, WebhookStatus } from './webhook-status.tsx'

const refreshMs = 15_000

export default function WebhooksPage() {
  const api = useApi()
  const place = usePlace()
  const [, navigate] = useLocation()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const [creating, setCreating] = useOpened('new')
  const [created, setCreated] = useState<WebhookWithSecret>()
  const { webhooks } = api.v1.projects({ projectId }).environments({ environmentId })
  const pages = usePages(['webhooks', environmentId, 'list'], (options, query) => webhooks.get({ ...options, query }), {
    every: refreshMs,
  })
  const { values, change } = useAddressQuery('health')
  const health = oneOfThese(healths, values.health)
  // an Environment has no more webhooks than fit on a page
  const items = health ? pages.items?.filter((webhook) => healthOf(webhook) === health) : pages.items
  const create = useAction((fields: WebhookFields) => webhooks.post(fields), {
    changes: [['webhooks', environmentId]],
    done: (webhook) => {
      setCreating(false)
      setCreated(webhook)
    },
    quiet: true,
  })
  const begin = (
    <NewButton needs="webhooks:create" onClick={() => setCreating(true)}>
      New webhook
    </NewButton>
  )
  return (
    <Page title="Webhooks" about="Signed events of this Environment, posted to your endpoints." actions={begin}>
      <Choices>
        <Choice label="Health" value={health ?? ''} onChange={(health) => change({ health })}>
          <option value="">Any</option>
          {healths.map((health) => (
            <option key={health} value={health}>
              {healthWords[health]}
            </option>
          ))}
        </Choice>
      </Choices>
      <DataTable
        label="webhooks"
        pages={{ ...pages, items }}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'webhooks', id)}
        columns={[
          { title: 'Endpoint', cell: ({ endpointUrl }) => endpointUrl },
          {
            title: 'Events',
            cell: ({ eventTypes }) => (
              <span className="row" title={eventTypes.join(', ')}>
                {eventTypes.slice(0, 2).map((kind) => (
                  <Tag key={kind}>{kind}</Tag>
                ))}
                {eventTypes.length > 2 && <span className="faint">and {eventTypes.length - 2} more</span>}
              </span>
            ),
          },
          { title: 'Health', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
          {
            title: 'Dead letters',
            align: 'end',
            cell: ({ id, deadLetters }) =>
              deadLetters > 0 ? (
                <Link href={deadLettersAt(place, id)}>{deadLetterCount(deadLetters)}</Link>
              ) : (
                <span className="faint">0</span>
              ),
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          health ? (
            <Empty
              icon="hook"
              title="No matching webhooks"
              action={<Button onClick={() => change({ health: '' })}>Show all</Button>}
            />
          ) : (
            <Empty icon="hook" title="No webhooks yet" action={begin}>
              A webhook posts events, such as ended runs, Deployments and Activations, to your endpoint.
            </Empty>
          )
        }
      />
      <Dialog title="New webhook" open={creating} onClose={() => setCreating(false)}>
        <WebhookForm action={create} submit="Create webhook" onSubmit={create.run} />
      </Dialog>
      {created && (
        <SigningSecret
          webhook={created}
          onDone={() => {
            setCreated(undefined)
            navigate(at(place, 'webhooks', created.id))
          }}
        />
      )}
    </Page>
  )
}
