/** One run: state, conversation, steps, checkpoints, journal. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, compareAt, organizationOf } from '../../../places.ts'
import { ProjectOfPage } from '../../../session/permissions.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Shown, Stale } from '../../../ui/states.tsx'
import { StreamNote } from '../../../ui/stream-note.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { useNow } from '../../../ui/time.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { useAgentNames } from '../list/names.tsx'
import { Where } from '../list/where.tsx'
import { Conversation } from '../playground/conversation.tsx'
import { Reply } from '../playground/reply.tsx'
import { tokenSumsOf } from '../steps/steps.ts'
import { StepsTab } from '../steps/steps-tab.tsx'
import { useFeed } from '../use-feed.ts'
import { RunAgain } from './again/run-again.tsx'
import { startsAtOf, waitsFor } from './awaiting.ts'
import { CancelButton } from './cancel/cancel.tsx'
import { ContentRemoved } from './content-removed.tsx'
import { CopyMenu } from './copy/copy-menu.tsx'
import { ForkButton, inputPoint } from './fork/fork-button.tsx'
import { Forks } from './fork/forks.tsx'
import { RunLog } from './log/run-log.tsx'
import { Machinery } from './parts/machinery.tsx'
import { usePendingPrompts } from './pending-prompts.ts'
import { Progress } from './progress.tsx'
import { RunFacts } from './run-facts.tsx'
import { StartNow } from './start-now.tsx'
import { stateOf, useRun } from './use-run.ts'
import { useSummary } from './use-summary.ts'
import { Waiting } from './waiting.tsx'
import '../runs.css'

export default function RunPage() {
  const { runId } = useIds('runId')
  // another run remounts the page
  return <OneRun key={runId} runId={runId} />
}

function OneRun({ runId }: { runId: string }) {
  const place = usePlace()
  const { run, can, busy, openSince } = useRun(runId)
  const now = useNow()
  const used = useFeed(runId, openSince)
  const summary = useSummary(runId)
  const beginning = summary.value?.query ?? null
  const names = useAgentNames(run.value?.projectId)
  const name = (run.value && names.get(run.value.agentId)) ?? used.steps[0]?.agent.name ?? 'Run'
  return (
    <ProjectOfPage.Provider value={run.value?.projectId}>
      <Page
        wide
        title={name}
        up={{ title: 'Runs', href: at(organizationOf(place), 'runs') }}
        badge={
          run.value && (
            <>
              <StateBadge state={stateOf(used, run.value)} />
              <StreamNote live={used.live} />
            </>
          )
        }
        about={
          run.value && (
            <span className="row">
              <Id id={runId} />
              <Where place={place} run={run.value} />
            </span>
          )
        }
        actions={
          run.value && (
            <>
              {can('startNow') && startsAtOf(run.value, now) && <StartNow runId={runId} />}
              {can('cancel') && run.value.endedAt === null && (
                <CancelButton runId={runId} state={stateOf(used, run.value)} />
              )}
              <RunAgain run={run.value} beginning={beginning} />
              <ForkButton runId={runId} point={inputPoint} />
              <LinkButton href={compareAt(place, runId)} icon="chart">
                Compare
              </LinkButton>
              <CopyMenu run={run.value} query={beginning} />
            </>
          )
        }
      >
        <Shown resource={run}>
          {(value) => <Content run={value} summary={summary} used={used} can={can} busy={busy} />}
        </Shown>
      </Page>
    </ProjectOfPage.Provider>
  )
}

interface ContentProps {
  run: PresentedRun
  summary: ReturnType<typeof useSummary>
  used: ReturnType<typeof useFeed>
  can: ReturnType<typeof useRun>['can']
  busy: boolean
}

function Content({ run, summary, used, can, busy }: ContentProps) {
  const api = useApi()
  const place = usePlace()
  const { pending, say } = usePendingPrompts(run.id)
  const startsAt = startsAtOf(run, useNow())
  const roots = useResource(['runs', run.id, 'roots'], (options) =>
    api.v1['agent-runs']({ agentRunId: run.id }).steps.get({
      ...options,
      query: { depth: 1, limit: 100, sort: 'createdAt', order: 'asc' },
    }),
  )
  const tokens = roots.value && tokenSumsOf(roots.value.items)
  const output = roots.value?.items.findLast((step) => step.output !== null)?.output
  const { removedAt } = run.contentRetention
  const conversation = (turns: 'last' | 'all') =>
    removedAt ? (
      <p className="faint">The content of this run was removed.</p>
    ) : (
      <div className="stack">
        <Conversation
          runId={run.id}
          used={used}
          pending={pending}
          busy={busy}
          progress={<Progress run={run} state={stateOf(used, run)} />}
          output={output}
          turns={turns}
        >
          <Reply
            runId={run.id}
            can={can('continue')}
            busy={busy}
            waitsFor={waitsFor(run)}
            isLater={startsAt !== undefined}
            onSent={say}
          />
        </Conversation>
      </div>
    )
  return (
    <>
      {removedAt && <ContentRemoved at={removedAt} />}
      <RunFacts
        run={run}
        tokens={roots.loading ? undefined : (tokens ?? null)}
        model={summary.loading ? undefined : (summary.value?.model ?? null)}
      />
      <Forks runId={run.id} />
      {used.gaps > 0 && <Stale refresh={() => location.reload()} />}
      <Waiting run={run} place={place} />
      <Tabs
        label="Run"
        name="tab"
        tabs={[
          { title: 'Answer', content: () => conversation('last') },
          { title: 'Conversation', content: () => conversation('all') },
          { title: 'Steps', content: () => <StepsTab run={run} used={used} tokens={tokens} /> },
          { title: 'Logs', content: () => <RunLog key={`${run.id} ${run.turn}`} runId={run.id} /> },
          { title: 'Internals', content: () => <Machinery runId={run.id} roots={roots} /> },
        ]}
      />
    </>
  )
}
