/** Details of one step. */
import { Link } from 'wouter'
import type { PresentedRun } from '../../../../runs/present.ts'
import { at } from '../../../places.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { AbsoluteTime, Duration } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { costText } from '../run/cost.ts'
import { ForkStep } from '../run/fork/fork-step.tsx'
import { countText, type Step, stepIcons } from './steps.ts'

interface StepDetailsProps {
  step: Step | undefined
  run: Pick<PresentedRun, 'projectId' | 'environmentId'>
}

export function StepDetails({ step, run: { projectId, environmentId } }: StepDetailsProps) {
  const { organization } = usePlace()
  if (!step)
    return (
      <aside className="surface run-step-details" aria-label="Step">
        <p className="faint">Select a step to see its input and output.</p>
      </aside>
    )
  const { agentStepId, kind, name, status, attempt, agent, timing, tokenUsage: used, execution, error } = step
  const facts: [string, React.ReactNode][] = [
    ['Agent', agent.name],
    ['Attempt', attempt],
    ['Started', <AbsoluteTime key="began" at={timing.startedAt} />],
    ['Duration', <Duration key="took" from={timing.startedAt} to={timing.endedAt} />],
  ]
  if (execution.model) facts.push(['Model', `${execution.provider} · ${execution.model}`])
  if (execution.finishReason) facts.push(['Finish reason', execution.finishReason])
  if (execution.toolCallId) facts.push(['Tool call', <code key="call">{execution.toolCallId}</code>])
  const { workflowRunId } = execution
  if (workflowRunId && projectId && environmentId) {
    const href = at({ organization, projectId, environmentId }, 'workflows', workflowRunId)
    facts.push([
      'Workflow run',
      <Link key="workflow" href={href}>
        Open
      </Link>,
    ])
  }
  if (execution.retries > 0) facts.push(['Retries', execution.retries])
  if (used.totalTokens > 0) {
    facts.push(['Tokens', `${countText(used.inputTokens)} in, ${countText(used.outputTokens)} out`])
    if (used.cachedInputTokens > 0) facts.push(['Cached', countText(used.cachedInputTokens)])
    if (used.reasoningTokens > 0) facts.push(['Reasoning', countText(used.reasoningTokens)])
  }
  const cost = costText(step)
  if (cost) facts.push(['Cost', cost])
  return (
    <aside className="surface run-step-details" aria-label="Step">
      <h3>
        <Icon name={stepIcons[kind]} /> {name} <Tag>{kind}</Tag> <StateBadge state={status} />
      </h3>
      <dl className="fact-rows run-step-facts">
        {facts.map(([title, value]) => (
          <Fact key={title} title={title} value={value} />
        ))}
      </dl>
      {error && (
        <p className="turn-failure" role="note">
          <span>
            <code>{error.code}</code> {error.message}
          </span>
        </p>
      )}
      {kind !== 'agent' && status !== 'running' && (
        <div>
          <ForkStep key={agentStepId} step={step} />
        </div>
      )}
      {step.input !== null && <Labeled title="Input" value={step.input} />}
      {step.output !== null && <Labeled title="Output" value={step.output} />}
    </aside>
  )
}

const Fact = ({ title, value }: { title: string; value: React.ReactNode }) => (
  <>
    <dt>{title}</dt>
    <dd>{value}</dd>
  </>
)

const Labeled = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <p className="faint">{title}</p>
    <Json label={title.toLowerCase()} value={value} />
  </div>
)
