/** Decides several approvals at once, each on its own, and shows the outcome of each. */
import { useState } from 'react'
import { sent } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { useRefresh } from '../../data/context.ts'
import { describeFailure } from '../../data/describe-failure.ts'
import { inboxKey } from '../../shell/inbox-count.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Labelled } from '../../ui/forms/form.tsx'
import { useEnvironment } from '../../use-environment.ts'
import type { Approval, Decision } from './approval.ts'

interface Told {
  id: string
  operation: string
  /** The outcome. */
  text: string
  isBad: boolean
}

const done: Record<Decision, string> = { approve: 'approved', reject: 'rejected' }

interface BulkProps {
  chosen: readonly Approval[]
  /** Clears the selection. */
  onClear: () => void
}

export function BulkDecision({ chosen, onClear }: BulkProps) {
  const [deciding, setDeciding] = useState<{ decision: Decision; approvals: readonly Approval[] }>()
  const begin = (decision: Decision) => setDeciding({ decision, approvals: chosen })
  return (
    <>
      {chosen.length > 0 && (
        <div className="banner" role="status">
          <span>{chosen.length} selected</span>
          <Button small tone="primary" icon="check" onClick={() => begin('approve')}>
            Approve {chosen.length}
          </Button>
          <Button small icon="close" onClick={() => begin('reject')}>
            Reject {chosen.length}
          </Button>
          <Button small tone="quiet" onClick={onClear}>
            Clear selection
          </Button>
        </div>
      )}
      {deciding && (
        <Decide
          {...deciding}
          onClose={() => {
            setDeciding(undefined)
            onClear()
          }}
        />
      )}
    </>
  )
}

interface DecideProps {
  decision: Decision
  approvals: readonly Approval[]
  onClose: () => void
}

function Decide({ decision, approvals, onClose }: DecideProps) {
  const refresh = useRefresh()
  const { environmentId, environment } = useEnvironment()
  const [note, setNote] = useState('')
  const [isUnderWay, setUnderWay] = useState(false)
  const [told, setTold] = useState<Told[]>([])
  const verb = decision === 'approve' ? 'Approve' : 'Reject'

  async function run() {
    setUnderWay(true)
    for (const { id, operation } of approvals) {
      const body = note.trim() === '' ? {} : { note: note.trim() }
      const answer = sent(environment['operation-approvals']({ approvalId: id })[decision].post(body))
      const one = await answer.then(
        () => ({ id, operation, text: done[decision], isBad: false }),
        (thrown: unknown) => ({ id, operation, text: describeFailure(failureOf(thrown)).title, isBad: true }),
      )
      setTold((known) => [...known, one])
    }
    setUnderWay(false)
    for (const key of [['approvals', environmentId], ['invocations', environmentId], ['workflows'], inboxKey]) {
      void refresh(key)
    }
  }

  const isOver = told.length === approvals.length
  return (
    <Dialog title={`${verb} ${approvals.length} approvals?`} open {...(!isUnderWay && { onClose })}>
      <div className="stack">
        <p>
          {decision === 'approve'
            ? 'Each is executed at once with its input. This cannot be undone.'
            : 'None is executed. The runs and workflows that called them continue without a result.'}
        </p>
        <ul className="stack" aria-label="Decisions" aria-live="polite">
          {approvals.map(({ id, operation }) => {
            const outcome = told.find((each) => each.id === id)
            return (
              <li key={id} className="row">
                <code>{operation}</code>
                <span className={outcome?.isBad ? 'bad' : 'faint'}>{outcome?.text ?? 'to be decided'}</span>
              </li>
            )
          })}
        </ul>
        {!isOver && (
          <Labelled label="Note" hint="Stored with each decision." issues={[]}>
            {(wiring) => (
              <textarea
                rows={2}
                maxLength={2000}
                value={note}
                onChange={({ target }) => setNote(target.value)}
                {...wiring}
              />
            )}
          </Labelled>
        )}
        <footer className="form-actions">
          {isOver ? (
            <Button tone="primary" onClick={onClose}>
              Close
            </Button>
          ) : (
            <Button tone={decision === 'approve' ? 'primary' : 'danger'} pending={isUnderWay} onClick={() => run()}>
              {verb} {approvals.length}
            </Button>
          )}
        </footer>
      </div>
    </Dialog>
  )
}
