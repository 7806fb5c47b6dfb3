/** One step of a workflow run: what it waits for, its items, its output or error, and where to look further. */
import type { WorkflowStep as SourceStep } from '../../../../authoring/definitions/source.ts'
import { at } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { AbsoluteTime, Time } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { ToApprovals } from '../../operations/to-approvals.tsx'
import type { WorkflowRun, WorkflowStep } from '../run.ts'
import { SendEvent } from '../send-event.tsx'
import { Condition } from './condition.tsx'
import { Items } from './items.tsx'
import { renderedIn, valuesOf } from './step-words.ts'

interface StepDetailsProps {
  run: WorkflowRun
  step: WorkflowStep
  source: SourceStep | undefined
}

function sentenceOf({ state, stateReason }: WorkflowStep): string | undefined {
  if (stateReason?.code === 'condition_false')
    return 'Skipped: its condition does not hold. The steps after it run, and see null for its output.'
  return stateReason?.message ?? sentences[state]
}

const sentences: Partial<Record<WorkflowStep['state'], string>> = {
  pending: 'Waiting for its dependencies or its next attempt.',
  running: 'In progress.',
}

export function StepDetails({ run, step, source }: StepDetailsProps) {
  const { state, stateReason, operation, output, error, stepId, waitsFor, compensation, elements, workflow } = step
  const sentence = sentenceOf(step)
  const isReached = stateReason === null || stateReason.code === 'condition_false'
  const isDecided = state !== 'pending' && (isReached || step.startedAt !== null)
  const hasOutput = operation !== null || workflow !== null || waitsFor !== null
  return (
    <div className="workflow-step-details">
      {sentence && <p className="faint">{sentence}</p>}
      {(state === 'waiting_approval' || elements?.some((each) => each.state === 'waiting_approval')) && <ToApprovals />}
      {state === 'waiting' && <Wait step={step} />}
      {error && (
        <div className="banner banner-bad">
          <Icon name="warning" />
          <span>{error.message}</span>
          <code>{error.code}</code>
        </div>
      )}
      {source?.when !== undefined && <Condition when={source.when} run={run} isDecided={isDecided} />}
      {elements && (
        <Items stepId={stepId} elements={elements} items={renderedIn(source?.forEach ?? null, valuesOf(run))} />
      )}
      {state === 'succeeded' && hasOutput && (
        <section aria-label="Output">
          <h3>Output</h3>
          <Json label={`output of ${stepId}`} value={output} />
        </section>
      )}
      {compensation && (
        <p className="row">
          compensated by <code>{compensation.operation}</code>
          <StateBadge state={compensation.state} />
          {compensation.error && <span className="faint">{compensation.error.message}</span>}
        </p>
      )}
      <Further step={step} />
    </div>
  )
}

/** What ends a wait. */
function Wait({ step: { waitsFor, waitsUntil } }: { step: WorkflowStep }) {
  return (
    <div className="banner banner-warning">
      <Icon name={waitsFor ? 'bell' : 'clock'} />
      <span>
        {waitsFor ? (
          <>
            Waits for the event <code>{waitsFor.event}</code> with the correlation <code>{waitsFor.correlation}</code>
            {waitsUntil && ', and fails without it'}
          </>
        ) : (
          'Sleeps'
        )}
        {waitsUntil && (
          <>
            {waitsFor ? ' at ' : ' until '}
            <AbsoluteTime at={waitsUntil} />
          </>
        )}
        .
      </span>
      {waitsFor && <SendEvent small of={waitsFor} />}
    </div>
  )
}

/** Its times, and links to the operations and workflows that it called. */
function Further({ step }: { step: WorkflowStep }) {
  const { attempts, startedAt, endedAt, childWorkflowRunId, operation, workflow } = step
  const place = usePlace()
  return (
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
      {childWorkflowRunId && (
        <LinkButton small icon="flow" href={at(place, 'workflows', childWorkflowRunId)}>
          {`Open the run of ${workflow ?? 'its workflow'}`}
        </LinkButton>
      )}
      {operation !== null && attempts > 0 && (
        <LinkButton small tone="quiet" href={`${at(place, 'invocations')}?operation=${encodeURIComponent(operation)}`}>
          {`Invocations of ${operation}`}
        </LinkButton>
      )}
    </p>
  )
}
