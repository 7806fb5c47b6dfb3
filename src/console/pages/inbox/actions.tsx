/** Actions on an inbox item, by kind. */
import { useState } from 'react'
import type { InboxItem } from '../../../automation/inbox/schema.ts'
import { type Action, useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at } from '../../places.ts'
import { inboxKey } from '../../shell/inbox-count.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { dayMs } from '../../ui/instants.ts'
import { Shown } from '../../ui/states.tsx'
import { usePlace } from '../../use-place.ts'
import { Review } from '../operations/approvals/review.tsx'
import { OutcomeForm } from '../operations/resolve-invocation.tsx'
import { ToolAnswers } from '../runs/run/tool-answers.tsx'
import { ReplaceKey } from '../settings/api-keys/replace-key.tsx'
import { usePayment } from '../settings/billing/payment.ts'
import { elsewhere, Plans, usePlans } from '../settings/billing/plans.tsx'
import { NewSecret } from '../settings/provider-credentials/credential-dialogs.tsx'
import { Refusal } from '../settings/refusal.tsx'
import { addressOf } from './words.ts'

/** The part of the API below the item's Environment. */
function useEnvironmentOf({ project, environment }: InboxItem) {
  const api = useApi()
  return api.v1.projects({ projectId: project?.id ?? '' }).environments({ environmentId: environment?.id ?? '' })
}

const changes = [
  inboxKey,
  ['alerts'],
  ['approvals'],
  ['invocations'],
  ['webhooks'],
  ['runs'],
  ['deployments'],
  ['connections'],
]

export function ItemActions({ item }: { item: InboxItem }) {
  const place = usePlace()
  const open = (
    <LinkButton small tone="quiet" href={addressOf(place, item)}>
      Open
    </LinkButton>
  )
  return (
    <div className="row inbox-actions">
      <ActionOf item={item} />
      {open}
    </div>
  )
}

function ActionOf({ item }: { item: InboxItem }) {
  if (item.kind === 'approval') return <Dialogs item={item} label="Review" content={Decide} />
  if (item.kind === 'waitingRun') return <Dialogs item={item} label="Answer" content={Answer} />
  if (item.kind === 'unknownOutcome' && item.invocationId !== null) {
    return <Dialogs item={item} label="Resolve" content={Resolve} />
  }
  if (item.kind === 'webhook') return item.reason === 'disabled' ? <Enable item={item} /> : <Recover item={item} />
  if (item.kind === 'deployment') return <DeployAgain item={item} />
  if (item.kind === 'credential') return <Dialogs item={item} label="Replace" content={Replace} />
  if (item.kind === 'apiKey') return <Dialogs item={item} label="Replace" content={ReplaceOfKey} />
  if (item.kind === 'budget') return <Dialogs item={item} label="Change plan" content={ChangePlan} />
  if (item.kind === 'connection') return <EnableConnection item={item} />
  return item.kind === 'alert' ? <DisableRule item={item} /> : null
}

interface DialogProps {
  item: InboxItem
  onClose: () => void
}

/** A button that opens the item's dialog. */
function Dialogs({
  item,
  label,
  content: Content,
}: {
  item: InboxItem
  label: string
  content: React.FC<DialogProps>
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && <Content item={item} onClose={() => setOpen(false)} />}
    </>
  )
}

function Decide({ item, onClose }: DialogProps) {
  const place = usePlace()
  const here = { ...place, projectId: item.project?.id ?? '', environmentId: item.environment?.id ?? '' }
  return <Review here={here} approvalId={item.id} onClose={onClose} />
}

/** How soon an answer that is given elsewhere shows. */
const answeredMs = 3_000

function Answer({ item, onClose }: DialogProps) {
  const api = useApi()
  const place = usePlace()
  const run = useResource(
    ['runs', 'inbox', item.id],
    (options) => api.v1['agent-runs']({ agentRunId: item.id }).get(options),
    { every: answeredMs },
  )
  return (
    <Dialog title="Answer the run" open onClose={onClose} shape="wide">
      <Shown resource={run}>
        {(run) => {
          const calls = run.awaiting?.pending.filter(({ kind }) => kind === 'tool') ?? []
          return calls.length > 0 ? (
            <ToolAnswers runId={run.id} calls={calls} />
          ) : (
            <p>
              The run is not waiting for an answer from a person.{' '}
              <LinkButton small href={addressOf(place, item)}>
                Open the run
              </LinkButton>
            </p>
          )
        }}
      </Shown>
    </Dialog>
  )
}

const Resolve = ({ item: { id, title, project, environment }, onClose }: DialogProps) => (
  <Dialog title={`Resolve ${title}`} open onClose={onClose}>
    <OutcomeForm projectId={project?.id ?? ''} environmentId={environment?.id ?? ''} invocationId={id} done={onClose} />
  </Dialog>
)

const ReplaceOfKey = ({ item, onClose }: DialogProps) => (
  <ReplaceKey keyId={item.id} changes={[inboxKey]} onClose={onClose} />
)

const Replace = ({ item, onClose }: DialogProps) => <NewSecret credentialId={item.id} onClose={onClose} />

function ChangePlan({ onClose }: DialogProps) {
  const known = usePlans()
  const payment = usePayment()
  return (
    <Dialog title="Change the plan" open onClose={onClose} shape="wide">
      <Refusal action={payment} more={elsewhere} />
      <Plans {...known} payment={payment} />
      {known.hasContract && (
        <footer className="dialog-actions">
          <Button tone="primary" pending={payment.pending} onClick={() => payment.portal()}>
            Open the portal
          </Button>
        </footer>
      )}
    </Dialog>
  )
}

interface ActProps {
  label: string
  icon?: IconName
  action: Pick<Action<[], unknown>, 'run' | 'pending'>
}

/** A button that acts at once, without a dialog. */
const Act = ({ label, icon, action }: ActProps) => (
  <Button small {...(icon && { icon })} pending={action.pending} onClick={() => action.run()}>
    {label}
  </Button>
)

function Enable({ item }: { item: InboxItem }) {
  const environment = useEnvironmentOf(item)
  const enable = useAction(() => environment.webhooks({ webhookId: item.id }).patch({ enabled: true }), {
    success: 'Webhook enabled',
    changes,
  })
  return <Act label="Enable" action={enable} />
}

/** Retention of deliveries. */
const recoveredMs = 30 * dayMs

function Recover({ item }: { item: InboxItem }) {
  const environment = useEnvironmentOf(item)
  const recover = useAction(
    () =>
      environment
        .webhooks({ webhookId: item.id })
        .recover.post({ since: new Date(Date.now() - recoveredMs).toISOString() }),
    { success: 'Recovery started', changes },
  )
  return <Act label="Recover" icon="refresh" action={recover} />
}

function DeployAgain({ item }: { item: InboxItem }) {
  const place = usePlace()
  const environment = useEnvironmentOf(item)
  const { releaseId, configurationRevisionId, project } = item
  const deploy = useAction(
    () =>
      environment.deployments.post({
        releaseId: releaseId ?? '',
        credentials: 'current',
        ...(configurationRevisionId && { configurationRevisionId }),
      }),
    {
      success: 'Deployment submitted',
      changes,
      opens({ id }) {
        const here = { ...place, projectId: project?.id ?? '', environmentId: item.environment?.id ?? '' }
        return at(here, 'deployments', id)
      },
    },
  )
  return <Act label="Deploy again" icon="refresh" action={deploy} />
}

function EnableConnection({ item }: { item: InboxItem }) {
  const environment = useEnvironmentOf(item)
  const enable = useAction(() => environment.connections({ connectionId: item.id }).patch({ status: 'active' }), {
    success: 'Connection enabled',
    changes,
  })
  return <Act label="Enable" action={enable} />
}

/** Stops an alert that is not wanted; the rule's page has the rest. */
function DisableRule({ item }: { item: InboxItem }) {
  const rule = useApi().v1['alert-rules']({ alertRuleId: item.id })
  const disable = useAction(() => rule.patch({ enabled: false }), { success: 'Alert rule disabled', changes })
  return <Act label="Disable rule" action={disable} />
}
