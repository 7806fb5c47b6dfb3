/** Checkpoints of a run, and the content of the latest. */
import type { PresentedCheckpoint } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { useResource } from '../../../data/resource.ts'
import { counted } from '../../../ui/counted.ts'
import { Section } from '../../../ui/page.tsx'
import { Empty, Shown } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { ForkButton } from '../run/fork/fork-button.tsx'
import { countText } from './steps.ts'

type Kind = PresentedCheckpoint['kind']

/** Trigger of each kind. */
const moments: Record<Kind, string> = {
  input: 'At the start',
  step: 'After a step',
  suspended: 'While waiting',
  final: 'At the end',
}

/** Checkpoint 0 is the run's input. */
const nameOf = ({ kind, sequence }: Pick<PresentedCheckpoint, 'kind' | 'sequence'>) =>
  kind === 'input' ? 'Input' : `Checkpoint ${sequence}`

export function Checkpoints({ runId }: { runId: string }) {
  const api = useApi()
  const run = api.v1['agent-runs']({ agentRunId: runId })
  const pages = usePages(['runs', runId, 'checkpoints'], (options, page) =>
    run.checkpoints.get({ ...options, query: page }),
  )
  const isEmpty = pages.items?.length === 0 && pages.page === 1
  return (
    <div className="stack">
      <DataTable
        label="checkpoints"
        pages={pages}
        keyOf={({ checkpointId }) => String(checkpointId)}
        columns={[
          { title: 'Checkpoint', cell: (checkpoint) => <span className="number">{nameOf(checkpoint)}</span> },
          { title: 'Trigger', cell: ({ kind }) => moments[kind] },
          {
            title: 'Step',
            cell: ({ agentStepId }) =>
              agentStepId === null ? <span className="faint none">–</span> : <code>{agentStepId}</code>,
          },
          { title: 'Attempt', cell: ({ attempt }) => attempt, align: 'end' },
          { title: 'Size', cell: ({ artifact }) => `${countText(artifact.sizeBytes)} B`, align: 'end' },
          {
            title: 'Digest',
            cell: ({ artifact }) => <code title={artifact.digest}>{artifact.digest.slice(7, 19)}…</code>,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Fork', cell: (checkpoint) => <ForkButton runId={runId} point={checkpoint} small />, align: 'end' },
        ]}
        empty={
          <Empty icon="box" title="No checkpoints yet">
            Each completed step writes one. The next attempt resumes from the latest.
          </Empty>
        }
      />
      {isEmpty === false && <Latest runId={runId} />}
    </div>
  )
}

function Latest({ runId }: { runId: string }) {
  const api = useApi()
  const latest = useResource(['runs', runId, 'latest'], (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).checkpoints.latest.get(options),
  )
  return (
    <Section title="Latest checkpoint">
      <Shown resource={latest}>
        {({ checkpoint, runtimeCheckpoint }) => (
          <>
            <p className="faint">
              {nameOf(checkpoint)}: {counted(runtimeCheckpoint.messages.length, 'message')},{' '}
              {counted(runtimeCheckpoint.pendingToolCalls.length, 'open call')}. The next attempt resumes from here.
            </p>
            <Json label="latest checkpoint" value={runtimeCheckpoint} />
          </>
        )}
      </Shown>
    </Section>
  )
}
