/** Steps of a workflow run: what each does, how far it is, and its details when it is open. */
import { useEffect, useRef } from 'react'
import type { WorkflowStep as SourceStep } from '../../../../authoring/definitions/source.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Countdown } from '../../../ui/countdown.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Duration } from '../../../ui/time.tsx'
import type { DrawnStep, Plan } from '../plan.ts'
import type { WorkflowRun, WorkflowStep } from '../run.ts'
import { StepDetails } from './step-details.tsx'
import { doingInRun, itemsText, kindOf, stepIcons } from './step-words.ts'
import './steps.css'

interface StepsProps {
  run: WorkflowRun
  /** undefined while loading. */
  plan: Plan | undefined
  chosen: string | undefined
  onChoose: (stepId: string | undefined) => void
}

export function Steps({ run, plan, chosen, onChoose }: StepsProps) {
  const drawn = new Map(plan?.steps.map((step) => [step.id, step]))
  return (
    <ol className="surface workflow-steps" aria-label="Steps">
      {run.steps.map((step) => (
        <li key={step.stepId}>
          <Step
            run={run}
            step={step}
            drawn={drawn}
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
}

interface StepProps {
  run: WorkflowRun
  step: WorkflowStep
  drawn: ReadonlyMap<string, DrawnStep>
  isOpen: boolean
  onToggle: (open: boolean) => void
}

function Step({ run, step, drawn, isOpen, onToggle }: StepProps) {
  const { stepId, state, attempts, startedAt, endedAt } = step
  const element = useRef<HTMLDetailsElement>(null)
  const { source, does = doingInRun(step) } = drawn.get(stepId) ?? {}
  const kind = kindOf(step, source)

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
          {does !== '' && (
            <span className="workflow-step-does faint">
              {kind && <Icon name={stepIcons[kind]} size={13} />}
              <code>{does}</code>
              {source?.forEach !== undefined && <span>for each item</span>}
            </span>
          )}
          <Note step={step} source={source} />
        </span>
        <StateBadge state={state} {...(state === 'pending' && { tone: 'idle' as const })} />
        <span className="workflow-step-attempts faint">{attempts > 1 && `${attempts} attempts`}</span>
        <span className="workflow-step-took">
          <Duration from={startedAt} to={endedAt} />
        </span>
      </summary>
      {isOpen && <StepDetails run={run} step={step} source={source} />}
    </details>
  )
}

const compensations: Record<NonNullable<WorkflowStep['compensation']>['state'], string> = {
  pending: 'compensation begins',
  running: 'being compensated',
  waiting_approval: 'compensation waits for approval',
  succeeded: 'compensated',
  failed: 'compensation failed',
  unknown: 'outcome of its compensation unknown',
}

const reasons: Partial<Record<NonNullable<WorkflowStep['stateReason']>['code'], string>> = {
  condition_false: 'its condition does not hold',
  dependency_failed: 'not reached',
  run_failed: 'not reached',
}

interface NoteProps {
  step: WorkflowStep
  source: SourceStep | undefined
}

/** What the state does not say. */
function Note({ step: { state, stateReason, elements, waitsFor, waitsUntil, compensation }, source }: NoteProps) {
  const notes = [
    elements && itemsText(elements),
    waitsFor && `for ${waitsFor.correlation}`,
    stateReason && reasons[stateReason.code],
    state === 'pending' && source?.when !== undefined && 'conditional',
    compensation && compensations[compensation.state],
  ].filter(Boolean)
  if (notes.length === 0 && !waitsUntil) return null
  return (
    <span className="workflow-step-note">
      {notes.join(' · ')}
      {waitsUntil && (
        <>
          {notes.length > 0 && ' · '}
          {waitsFor ? 'times out ' : 'ends '}
          <Countdown to={waitsUntil} />
        </>
      )}
    </span>
  )
}
