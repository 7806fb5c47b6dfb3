/** A pending approval: caller, input, deadline, decision. */
import { useState } from 'react'
import { at } from '../../places.ts'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, TextArea } from '../../ui/forms/form.tsx'
import { Json } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { type Approval, type Decision, useDecision } from './approval.ts'

export function ApprovalCard({ approval, about }: { approval: Approval; about?: string | undefined }) {
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [deciding, setDeciding] = useState<Decision>()
  const { operation, agentId, input, createdAt, expiresAt, invocationId } = approval
  return (
    <article className="approval" aria-label={`Approval of ${operation}`}>
      <header className="approval-head">
        <h2>
          <code>{operation}</code>
        </h2>
        <p className="faint">
          for <AgentName projectId={projectId} agentId={agentId} />, requested <Time at={createdAt} />, expires{' '}
          <Time at={expiresAt} />
        </p>
      </header>
      {about && <p className="approval-about">{about}</p>}
      <Json label={`input of ${operation}`} value={input} />
      <div className="row">
        <Button tone="primary" icon="check" onClick={() => setDeciding('approve')}>
          Approve
        </Button>
        <Button icon="close" onClick={() => setDeciding('reject')}>
          Reject
        </Button>
        <LinkButton tone="quiet" href={`${at(place, 'invocations')}?invocation=${invocationId}`}>
          View caller
        </LinkButton>
      </div>
      {deciding && <Decide approval={approval} decision={deciding} onClose={() => setDeciding(undefined)} />}
    </article>
  )
}

const words = {
  approve: {
    title: (operation: string) => `Approve ${operation}?`,
    consequence: 'The operation is executed at once with this input. This cannot be undone.',
    note: 'Stored with the decision.',
    submit: 'Approve',
  },
  reject: {
    title: (operation: string) => `Reject ${operation}?`,
    consequence: 'The operation is not executed. The run or workflow that called it continues without a result.',
    note: 'Stored with the decision, and returned to the model that made the call.',
    submit: 'Reject',
  },
} as const

interface DecideProps {
  approval: Approval
  decision: Decision
  onClose: () => void
}

function Decide({ approval, decision, onClose }: DecideProps) {
  const decide = useDecision(approval, decision, onClose)
  const { title, consequence, note, submit } = words[decision]
  return (
    <Dialog title={title(approval.operation)} open onClose={onClose}>
      <p>{consequence}</p>
      <div className="approval-again">
        <Json label="input" value={approval.input} />
      </div>
      <Form
        action={decide}
        submit={submit}
        tone={decision === 'approve' ? 'primary' : 'danger'}
        onSubmit={(text) => decide.run(text('note'))}
        beside={<Button onClick={onClose}>Cancel</Button>}
      >
        <TextArea name="note" label="Note" hint={note} rows={2} maxLength={2000} />
      </Form>
    </Dialog>
  )
}
