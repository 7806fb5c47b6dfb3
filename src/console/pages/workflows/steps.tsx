/** Steps of a workflow run, each with output or error. */
import { useEffect, useRef } from 'react'
import { at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Json } from '../../ui/text/code.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import { ToApprovals } from '../operations/to-approvals.tsx'
import type { WorkflowStep } from './run.ts'

interface StepsProps {
  steps: readonly WorkflowStep[]
  chosen: string | undefined
  onChoose: (stepId: string | undefined) => void
}

export const Steps = ({ steps, chosen, onChoose }: StepsProps) => (
  <ol className="surface workflow-steps" aria-label="Steps">
    {steps.map((step) => (
      <li key={step.stepId}>
        <Step
          step={step}
          isOpen={step.stepId === chosen}
          onToggle={(open) => {
            if (open) onChoose(step.stepId)
            else if (step.stepId === chosen) onChoose(undefined)
          }}
        />
      </li>
    ))}
  </ol>
)

interface StepProps {
  step: WorkflowStep
  isOpen: boolean
  onToggle: (open: boolean) => void
}

function Step({ step, isOpen, onToggle }: StepProps) {
  const { stepId, operation, state, attempts, startedAt, endedAt } = step
  const element = useRef<HTMLDetailsElement>(null)

  useEffect(() => {
    if (isOpen) element.current?.scrollIntoView?.({ block: 'nearest', behavior: 'smooth' })
  }, [isOpen])

  return (
    <details
      ref={element}
      open={isOpen}
      className="workflow-step"
      onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    >
      <summary>
        <span className="workflow-step-names">
          <strong>{stepId}</strong>
          {operation !== null && <code className="faint">{operation}</code>}
        </span>
        <StateBadge state={state} {...(state === 'pending' && { tone: 'idle' as const })} />
        <span className="workflow-step-attempts faint">
          {attempts > 1 ? `${attempts} attempts` : attempts === 1 ? '1 attempt' : ''}
        </span>
        <span className="workflow-step-took">
          <Duration from={startedAt} to={endedAt} />
        </span>
      </summary>
      {isOpen && <StepDetails step={step} />}
    </details>
  )
}

/** `3 items: 2 succeeded, 1 running` */
function countsOf(elements: NonNullable<WorkflowStep['elements']>): string {
  const counts = [...Map.groupBy(elements, ({ state }) => state)].map(([state, { length }]) => `${length} ${state}`)
  return `${elements.length} items: ${counts.join(', ').replaceAll('_', ' ')}`
}

const nothingYet: Partial<Record<WorkflowStep['state'], string>> = {
  pending: 'Waiting for its dependencies or its next attempt.',
  running: 'In progress.',
  skipped: 'Not started: its condition does not hold, or the run failed.',
  canceled: 'The run was canceled before the step completed.',
}

function StepDetails({
  step: {
    state,
    operation,
    output,
    error,
    startedAt,
    endedAt,
    stepId,
    waitsUntil,
    waitsFor,
    compensation,
    childWorkflowRunId,
    elements,
    workflow,
  },
}: {
  step: WorkflowStep
}) {
  const place = usePlace()
  return (
    <div className="workflow-step-details">
      {nothingYet[state] && <p className="faint">{nothingYet[state]}</p>}
      {state === 'waiting_approval' && <ToApprovals />}
      {error && (
        <div className="banner banner-bad">
          <Icon name="warning" />
          <span>{error.message}</span>
          <code>{error.code}</code>
        </div>
      )}
      {state === 'succeeded' && (operation !== null || workflow !== null || waitsFor) && (
        <Json label={`output of ${stepId}`} value={output} />
      )}
      {elements && <p className="faint">{countsOf(elements)}</p>}
      {compensation && (
        <p className="row">
          compensated by <code>{compensation.operation}</code>
          <StateBadge state={compensation.state} />
          {compensation.error && <span className="faint">{compensation.error.message}</span>}
        </p>
      )}
      <p className="row faint">
        {startedAt && (
          <span>
            started <Time at={startedAt} />
          </span>
        )}
        {endedAt && (
          <span>
            ended <Time at={endedAt} />
          </span>
        )}
        {waitsFor && (
          <span>
            event <code>{waitsFor.event}</code> for <code>{waitsFor.correlation}</code>
          </span>
        )}
        {waitsUntil && (
          <span>
            waits until <Time at={waitsUntil} />
          </span>
        )}
        {childWorkflowRunId && (
          <LinkButton small tone="quiet" href={at(place, 'workflows', childWorkflowRunId)}>
            Its run
          </LinkButton>
        )}
        {operation !== null && (
          <LinkButton
            small
            tone="quiet"
            href={`${at(place, 'invocations')}?operation=${encodeURIComponent(operation)}`}
          >
            Invocations of {operation}
          </LinkButton>
        )}
      </p>
    </div>
  )
}
