/** One workflow run: steps, state, commands. */
import { type ReactNode, Suspense } from 'react'
import { Link } from 'wouter'
import { useAddressQuery } from '../../address-query.ts'
import { lazyPart } from '../../lazy-part.ts'
import { actorAt, at, runAt } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { StreamNote } from '../../ui/stream-note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { useAtOnce } from '../../use-at-once.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { CancelRun, ResumeRun } from './commands.tsx'
import { Compensation } from './compensation.tsx'
import { WorkflowMoves } from './moves.tsx'
import { useWorkflowName } from './names.tsx'
import { usePlan } from './plan.ts'
import { Resolve } from './resolve.tsx'
import { commandsOf, useWorkflowRun, type WorkflowRun } from './run.ts'
import { Steps } from './steps/steps.tsx'
import { Waits } from './waits.tsx'
import './workflows.css'

const Graph = lazyPart(() => import('./graph.tsx'))

export default function WorkflowRunPage() {
  const { workflowRunId } = useIds('workflowRunId')
  const place = usePlace()
  const { run, live } = useWorkflowRun(workflowRunId)
  const { value } = run
  const name = useWorkflowName(value?.definitionId)
  const commands = value && commandsOf(value)
  return (
    <Page
      wide
      title={name}
      badge={value && <StateBadge state={value.state} />}
      about={
        <span className="row">
          <Id id={workflowRunId} />
          {value && <StreamNote live={live} />}
        </span>
      }
      up={{ title: 'Workflows', href: at(place, 'workflows') }}
      actions={
        value && (
          <>
            {commands?.canResume && <ResumeRun run={value} />}
            {commands?.canCancel && <CancelRun run={value} />}
            <LinkButton icon="chart" href={actorAt(place, 'workflow-run', workflowRunId)}>
              Statechart
            </LinkButton>
          </>
        )
      }
    >
      <Shown resource={run} rows={8}>
        {(run) => <Whole key={run.workflowRunId} run={run} />}
      </Shown>
    </Page>
  )
}

/** The open step, in the address: `?step=refund`. Choosing one shows the tab of the steps. */
function useChosenStep(): [stepId: string | undefined, choose: (stepId: string | undefined) => void] {
  const { values, change } = useAddressQuery('step', 'tab')
  const [chosen, show] = useAtOnce(values.step || undefined)
  const choose = (stepId: string | undefined) => {
    if (stepId === chosen) return
    show(stepId)
    change(stepId === undefined ? { step: '' } : { step: stepId, tab: '' })
  }
  return [chosen, choose]
}

function RunFacts({ run }: { run: WorkflowRun }) {
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const { agentId, agentRunId, createdBy, createdAt, endedAt, requestKey, deploymentId, parentWorkflowRunId } = run
  const facts: [string, ReactNode][] = [
    ['Agent', <AgentName key="agent" projectId={projectId} agentId={agentId} />],
    parentWorkflowRunId === null
      ? ['Started by', <Author key="by" by={createdBy} />]
      : [
          'Started by',
          <Link key="parent" href={at(place, 'workflows', parentWorkflowRunId)} title={parentWorkflowRunId}>
            workflow run …{parentWorkflowRunId.slice(-6)}
          </Link>,
        ],
    ['Started', <Time key="at" at={createdAt} />],
    ['Duration', <Duration key="took" from={createdAt} to={endedAt} />],
    [
      'Deployment',
      <Link key="deployment" href={at(place, 'deployments', deploymentId)}>
        Open
      </Link>,
    ],
  ]
  if (agentRunId !== null) {
    const caller = (
      <Link key="caller" href={runAt(place, agentRunId)} title={agentRunId}>
        run …{agentRunId.slice(-6)}
      </Link>
    )
    facts.splice(2, 0, ['Called by', caller])
  }
  if (requestKey !== null) facts.push(['Request key', requestKey])
  return <Facts facts={facts} />
}

function Whole({ run }: { run: WorkflowRun }) {
  const plan = usePlan(run)
  const [chosen, choose] = useChosenStep()
  const { unknown, canResume } = commandsOf(run)
  const { endedAt, params, output, state, steps } = run
  const failed = state === 'failed' ? steps.find(({ state }) => state === 'failed') : undefined
  return (
    <>
      {unknown.map(({ stepId }) => (
        <Resolve key={stepId} run={run} stepId={stepId} />
      ))}
      {state === 'unknown' && canResume && (
        <div className="banner banner-info" role="status">
          <Icon name="flow" />
          <span>All unknown steps are resolved. Resume the run to continue.</span>
        </div>
      )}
      {failed?.error && (
        <div className="banner banner-bad">
          <Icon name="warning" />
          <span>
            Step <strong>{failed.stepId}</strong> has failed: {failed.error.message}
          </span>
          {failed.stepId !== chosen && (
            <Button small onClick={() => choose(failed.stepId)}>
              Show step
            </Button>
          )}
        </div>
      )}
      <div className="workflow-facts">
        <RunFacts run={run} />
      </div>
      <Waits run={run} />
      <Section title="Step dependencies">
        <Suspense fallback={<Loading rows={4} label="Loading the graph" />}>
          <Graph plan={plan} steps={steps} chosen={chosen} onChoose={choose} />
        </Suspense>
      </Section>
      <Compensation run={run} plan={plan} />
      <Tabs
        label="Run details"
        tabs={[
          {
            title: 'Steps',
            content: () => <Steps run={run} plan={plan} chosen={chosen} onChoose={choose} />,
          },
          {
            title: 'Params and output',
            content: () => (
              <div className="pair">
                <section className="stack" aria-label="Params">
                  <h3>Params</h3>
                  <Json label="params" value={params} />
                </section>
                <section className="stack" aria-label="Output">
                  <h3>Output</h3>
                  {output === null ? (
                    <p className="faint">{endedAt === null ? 'No output yet.' : 'No output.'}</p>
                  ) : (
                    <Json label="output" value={output} />
                  )}
                </section>
              </div>
            ),
          },
          { title: 'Journal', content: () => <WorkflowMoves workflowRunId={run.workflowRunId} /> },
        ]}
      />
    </>
  )
}
