/** One approval: who asks for what, the request that it would send, and the decision. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useResource } from '../../../data/resource.ts'
import { Author } from '../../../ui/author.tsx'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Labelled } from '../../../ui/forms/form.tsx'
import { Facts } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Id, Json } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { AgentName } from '../../runs/list/names.tsx'
import { type Approval, type ApprovalPlace, changes, consequences, type Decision, useApprovals } from './approval.ts'
import { Asker } from './asker.tsx'
import { RequestOf } from './request.tsx'
import '../operations.css'

/** While it waits, another user may decide. */
const refreshMs = 4_000

interface ReviewProps {
  here: ApprovalPlace
  approvalId: string
  onClose: () => void
}

export function Review({ here, approvalId, onClose }: ReviewProps) {
  const approvals = useApprovals(here)
  const approval = useResource(
    ['approvals', here.environmentId, 'one', approvalId],
    (options) => approvals({ approvalId }).get(options),
    { every: (approval) => (approval?.status === 'pending' ? refreshMs : null) },
  )
  const { value } = approval
  const title =
    value && (value.status === 'pending' ? `Decide on ${value.operation}` : `Approval of ${value.operation}`)
  return (
    <Dialog title={title ?? 'Approval'} open onClose={onClose} shape="wide">
      <Shown resource={approval}>
        {(approval) => (
          <div className="stack approval-review">
            <FactsOf here={here} approval={approval} />
            <RequestOf here={here} approvalId={approvalId} />
            <section className="stack" aria-label="Input">
              <h3>Input</h3>
              <Json label={`input of ${approval.operation}`} value={approval.input} />
            </section>
            {approval.status === 'pending' && <Decide here={here} approval={approval} onDecided={onClose} />}
          </div>
        )}
      </Shown>
    </Dialog>
  )
}

function FactsOf({ here, approval }: { here: ApprovalPlace; approval: Approval }) {
  const { status, agentId, createdAt, expiresAt, decidedBy, decidedAt, note, id } = approval
  const isPending = status === 'pending'
  return (
    <Facts
      facts={[
        ['Status', <StateBadge key="status" state={status} />],
        ['Agent', <AgentName key="agent" projectId={here.projectId} agentId={agentId} />],
        ['Asked by', <Asker key="asker" here={here} of={approval} />],
        ['Requested', <Time key="created" at={createdAt} />],
        isPending
          ? ['Expires', <Time key="expires" at={expiresAt} />]
          : ['Decided', <Time key="decided" at={decidedAt} />],
        ...(decidedBy ? [['Decided by', <Author key="by" by={decidedBy} />] as [string, React.ReactNode]] : []),
        ...(note ? [['Note', note] as [string, React.ReactNode]] : []),
        ['Approval', <Id key="id" id={id} />],
      ]}
    />
  )
}

interface DecideProps {
  here: ApprovalPlace
  approval: Approval
  onDecided: () => void
}

function Decide({ here, approval, onDecided }: DecideProps) {
  const { id: approvalId, operation } = approval
  const approvals = useApprovals(here)
  const [note, setNote] = useState('')
  // one action for both: a second click, on either, sends nothing while the first is under way
  const decide = useAction(
    (decision: Decision) => {
      const text = note.trim()
      return approvals({ approvalId })[decision].post(text === '' ? {} : { note: text })
    },
    { success: ({ status }) => `${operation} is ${status}`, changes, done: onDecided },
  )
  return (
    <form className="form" onSubmit={(event) => event.preventDefault()}>
      <Labelled
        label="Note"
        hint="Stored with the decision; for a rejection, the model that made the call gets it."
        issues={decide.issues}
      >
        {(wiring) => (
          <textarea
            rows={2}
            maxLength={2000}
            value={note}
            data-focus
            onChange={({ target }) => setNote(target.value)}
            {...wiring}
          />
        )}
      </Labelled>
      <p className="faint">
        {consequences.approve} {consequences.reject}
      </p>
      <footer className="form-actions">
        <Button
          needs="operation-approvals:approve"
          tone="primary"
          icon="check"
          pending={decide.pending}
          onClick={() => decide.run('approve')}
        >
          Approve
        </Button>
        <Button
          needs="operation-approvals:reject"
          tone="danger"
          icon="close"
          pending={decide.pending}
          onClick={() => decide.run('reject')}
        >
          Reject
        </Button>
      </footer>
    </form>
  )
}
