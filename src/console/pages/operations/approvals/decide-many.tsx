/** Decides the selected approvals, each by a request of its own, and tells what became of each. */
import { useRef, useState } from 'react'
import { sent } from '../../../api/client.ts'
import { failureOf } from '../../../api/failure.ts'
import { useRefresh } from '../../../data/context.ts'
import { describeFailure } from '../../../data/describe-failure.ts'
import { counted } from '../../../ui/counted.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Labelled } from '../../../ui/forms/form.tsx'
import { type Approval, type ApprovalPlace, changes, type Decision, useApprovals } from './approval.ts'
import '../../runs/list/selected/selected.css'

interface Outcome {
  text: string
  isBad: boolean
}

const verbs = { approve: 'Approve', reject: 'Reject' } as const
const done: Record<Decision, string> = { approve: 'approved', reject: 'rejected' }

interface ManyProps {
  here: ApprovalPlace
  chosen: readonly Approval[]
  /** Nothing is chosen any more. */
  clear: () => void
}

export function DecideMany({ here, chosen, clear }: ManyProps) {
  const [deciding, setDeciding] = useState<{ decision: Decision; approvals: readonly Approval[] }>()
  const begin = (decision: Decision) => setDeciding({ decision, approvals: chosen })
  return (
    <>
      {chosen.length > 0 && (
        <section className="selected-bar" aria-label="Selected approvals">
          <strong>{chosen.length} selected</strong>
          <Button
            needs="operation-approvals:approve"
            small
            tone="primary"
            icon="check"
            onClick={() => begin('approve')}
          >
            Approve {chosen.length}
          </Button>
          <Button needs="operation-approvals:reject" small icon="close" onClick={() => begin('reject')}>
            Reject {chosen.length}
          </Button>
          <Button small tone="quiet" onClick={clear}>
            Clear selection
          </Button>
        </section>
      )}
      {deciding && (
        <Decide
          {...deciding}
          here={here}
          close={() => {
            setDeciding(undefined)
            clear()
          }}
        />
      )}
    </>
  )
}

interface DecideProps {
  here: ApprovalPlace
  decision: Decision
  approvals: readonly Approval[]
  close: () => void
}

function Decide({ here, decision, approvals, close }: DecideProps) {
  const [note, setNote] = useState('')
  const { run, outcomes, isUnderWay } = useDecisions(here, decision, approvals)
  const isOver = outcomes.size === approvals.length
  const bad = [...outcomes.values()].filter(({ isBad }) => isBad).length
  const verb = verbs[decision]
  return (
    <Dialog title={`${verb} ${counted(approvals.length, 'approval')}?`} open {...(!isUnderWay && { onClose: close })}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(note.trim())
        }}
      >
        <p>
          {decision === 'approve'
            ? 'Each is executed at once with its input. This cannot be undone.'
            : 'None is executed. The runs and workflows that called them continue without a result.'}
        </p>
        <ul className="approval-outcomes" aria-label="Decisions">
          {approvals.map(({ id, operation, input }) => {
            const outcome = outcomes.get(id)
            return (
              <li key={id}>
                <span className="ellipsis">
                  <code>{operation}</code> <span className="faint">{summaryOf(input)}</span>
                </span>
                <span className={outcome?.isBad ? 'bad' : 'faint'}>{outcome?.text ?? 'to be decided'}</span>
              </li>
            )
          })}
        </ul>
        <p role="status">
          {outcomes.size > 0 &&
            `${outcomes.size - bad} of ${approvals.length} ${done[decision]}${bad > 0 ? `, ${bad} not` : ''}`}
        </p>
        {outcomes.size === 0 && (
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
            <Button tone="primary" onClick={close}>
              Close
            </Button>
          ) : (
            <Button type="submit" tone={decision === 'approve' ? 'primary' : 'danger'} pending={isUnderWay}>
              {verb} {approvals.length}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  )
}

const summaryMax = 120
const summaryOf = (input: unknown): string => (JSON.stringify(input) ?? '').slice(0, summaryMax)

function useDecisions(here: ApprovalPlace, decision: Decision, chosen: readonly Approval[]) {
  const refresh = useRefresh()
  const approvals = useApprovals(here)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [isUnderWay, setUnderWay] = useState(false)
  // a second click can come before the first one renders
  const isBegun = useRef(false)

  async function run(note: string) {
    if (isBegun.current) return
    isBegun.current = true
    setUnderWay(true)
    for (const { id } of chosen) {
      const answer = sent(approvals({ approvalId: id })[decision].post(note === '' ? {} : { note }))
      const outcome = await answer.then(
        () => ({ text: done[decision], isBad: false }),
        (thrown: unknown) => ({ text: reasonOf(thrown), isBad: true }),
      )
      setOutcomes((known) => new Map(known).set(id, outcome))
    }
    setUnderWay(false)
    for (const key of changes) void refresh(key)
  }
  return { run, outcomes, isUnderWay }
}

/** Another user was faster, or the decision is refused. */
function reasonOf(thrown: unknown): string {
  const failure = failureOf(thrown)
  if (failure.isConflict && failure.currentState) return `already ${failure.currentState}`
  return describeFailure(failure).text
}
