/** The waits of a run: approvals, events and sleeps, each with its end. */
import { at } from '../../places.ts'
import { Countdown } from '../../ui/countdown.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePlace } from '../../use-place.ts'
import type { WorkflowRun, WorkflowStep } from './run.ts'
import { SendEvent } from './send-event.tsx'

/** More are only in the list of steps. */
const shownMax = 5

const isForApproval = ({ state, elements, compensation }: WorkflowStep) =>
  [state, compensation?.state, ...(elements ?? []).map((each) => each.state)].includes('waiting_approval')

export function Waits({ run: { steps } }: { run: WorkflowRun }) {
  const waiting = steps.filter((step) => step.state === 'waiting' || isForApproval(step))
  if (waiting.length === 0) return null
  return (
    <section className="workflow-waits" aria-label="Waiting for">
      <ul>
        {waiting.slice(0, shownMax).map((step) => (
          <li key={step.stepId}>
            <Wait step={step} />
          </li>
        ))}
      </ul>
      {waiting.length > shownMax && <p className="faint">{`And ${waiting.length - shownMax} more steps, below.`}</p>}
    </section>
  )
}

function Wait({ step }: { step: WorkflowStep }) {
  const place = usePlace()
  const { stepId, waitsFor, waitsUntil } = step
  if (isForApproval(step)) {
    return (
      <>
        <Icon name="approve" />
        <span>
          {step.compensation?.state === 'waiting_approval' && 'The compensation of '}
          <strong>{stepId}</strong> waits for approval.
        </span>
        <LinkButton small href={at(place, 'approvals')}>
          Go to approvals
        </LinkButton>
      </>
    )
  }
  return (
    <>
      <Icon name={waitsFor ? 'bell' : 'clock'} />
      <span>
        <strong>{stepId}</strong>{' '}
        {waitsFor ? (
          <>
            waits for <code>{waitsFor.event}</code> for <code>{waitsFor.correlation}</code>
            {waitsUntil && ', times out '}
          </>
        ) : (
          'sleeps; it ends '
        )}
        {waitsUntil && <Countdown to={waitsUntil} />}.
      </span>
      {waitsFor && <SendEvent small of={waitsFor} />}
    </>
  )
}
