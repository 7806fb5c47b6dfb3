/** How a run that failed or was canceled takes back its steps: in the order in which it is done. */
import { at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import type { Plan } from './plan.ts'
import type { WorkflowRun, WorkflowStep } from './run.ts'

/** Begun ones as they began, then those that are still to come, the last that was completed first. */
function compensationsOf({ state, steps }: WorkflowRun, plan: Plan | undefined): WorkflowStep[] {
  const began = steps
    .filter(({ compensation }) => compensation !== null)
    .toSorted((one, other) => inOrder(one.compensation?.startedAt, other.compensation?.startedAt))
  if (began.length === 0 || (state !== 'running' && state !== 'canceling')) return began
  const compensated = new Set(plan?.steps.flatMap(({ id, source }) => (source?.compensate ? [id] : [])))
  const toCome = steps
    .filter((step) => step.compensation === null && step.state === 'succeeded' && compensated.has(step.stepId))
    .toSorted((one, other) => inOrder(other.endedAt, one.endedAt))
  return [...began, ...toCome]
}

const inOrder = (one: string | null | undefined, other: string | null | undefined) =>
  Date.parse(one ?? '') - Date.parse(other ?? '') || 0

export function Compensation({ run, plan }: { run: WorkflowRun; plan: Plan | undefined }) {
  const place = usePlace()
  const steps = compensationsOf(run, plan)
  if (steps.length === 0) return null
  const operationOf = new Map(plan?.steps.map(({ id, source }) => [id, source?.compensate?.operation]))
  return (
    <Section title="Compensation">
      <p className="faint">
        The run takes back the steps that had succeeded, one at a time, the last one first. A compensation that fails
        stops no other.
      </p>
      <ol className="surface workflow-compensations" aria-label="Compensations">
        {steps.map(({ stepId, compensation }) => {
          const operation = compensation?.operation ?? operationOf.get(stepId) ?? ''
          return (
            <li key={stepId}>
              <span>
                <strong>{stepId}</strong> <code className="faint">{operation}</code>
                {compensation?.error && <span className="workflow-item-error">{compensation.error.message}</span>}
              </span>
              <StateBadge state={compensation?.state ?? 'pending'} {...(!compensation && { tone: 'idle' as const })} />
              <span className="faint">
                {compensation && compensation.attempts > 1 && `${compensation.attempts} attempts, `}
                {compensation && <Time at={compensation.endedAt ?? compensation.startedAt} />}
              </span>
              {compensation && ['failed', 'unknown'].includes(compensation.state) && (
                <LinkButton
                  small
                  tone="quiet"
                  href={`${at(place, 'invocations')}?operation=${encodeURIComponent(operation)}`}
                >
                  Invocations
                </LinkButton>
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
