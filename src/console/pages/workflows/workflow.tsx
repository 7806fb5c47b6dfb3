/** One workflow run: steps, state, commands. */
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { actorAt, at } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { StreamNote } from '../../ui/stream-note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { CancelRun, ResumeRun } from './commands.tsx'
import { WorkflowMoves } from './moves.tsx'
import { useWorkflowName } from './names.tsx'
import { usePlan } from './plan.ts'
import { Resolve } from './resolve.tsx'
import { commandsOf, useWorkflowRun, type WorkflowRun } from './run.ts'
import { Steps } from './steps.tsx'
import './workflows.css'

const Graph = lazy(() => import('./graph.tsx'))

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

function Whole({ run }: { run: WorkflowRun }) {
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const plan = usePlan(run)
  const [chosen, choose] = useState<string>()
  const { unknown, canResume } = commandsOf(run)
  const { agentId, createdBy, createdAt, endedAt, requestKey, deploymentId, params, output, state, steps } = run
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
        </div>
      )}
      <div className="workflow-facts">
        <Facts
          facts={[
            ['Agent', <AgentName key="agent" projectId={projectId} agentId={agentId} />],
            ['Started by', <Author key="by" by={createdBy} />],
            ['Started', <Time key="at" at={createdAt} />],
            ['Duration', <Duration key="took" from={createdAt} to={endedAt} />],
            [
              'Deployment',
              <Link key="deployment" href={at(place, 'deployments', deploymentId)}>
                Open
              </Link>,
            ],
            ['Request key', requestKey ?? '–'],
          ]}
        />
      </div>
      <Section title="Step dependencies">
        <Suspense fallback={<Loading rows={4} label="Loading the graph" />}>
          <Graph plan={plan} steps={steps} chosen={chosen} onChoose={choose} />
        </Suspense>
      </Section>
      <Tabs
        label="Run details"
        tabs={[
          {
            title: 'Steps',
            content: () => <Steps steps={steps} chosen={chosen} onChoose={choose} />,
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
